/** Geopoints that a file stores in two columns, latitude and longitude. */
import { refuse } from '../../ontology/values/refused-value.ts'
import { camelName, wordsOf } from './column-names.ts'

export interface CoordinateColumns {
  readonly latitude: string
  readonly longitude: string
}

export interface GeopointColumns extends CoordinateColumns {
  /** The name for the property, such as `location` or `originLocation`. */
  readonly property: string
}

const LATITUDE = ['lat', 'latitude']
const LONGITUDE = ['lon', 'lng', 'long', 'longitude']

/** Finds pairs of columns whose names differ only in latitude and longitude. */
export function findGeopointColumns(columns: readonly string[]): GeopointColumns[] {
  const longitudes = new Map<string, string>()
  for (const column of columns) {
    const rest = wordsBeside(column, LONGITUDE)?.join(' ')
    if (rest !== undefined && !longitudes.has(rest)) longitudes.set(rest, column)
  }
  return columns.flatMap((latitude) => {
    const words = wordsBeside(latitude, LATITUDE)
    const longitude = longitudes.get(words?.join(' ') ?? '')
    if (words === undefined || longitude === undefined) return []
    // Each column belongs to one pair.
    longitudes.delete(words.join(' '))
    return [{ latitude, longitude, property: camelName([...words, 'location']) }]
  })
}

/** Returns the words of a name without the one in `wanted`, in lower case; splits `lat1`. */
function wordsBeside(column: string, wanted: readonly string[]): string[] | undefined {
  const words = wordsOf(column)
    .flatMap((word) => word.toLowerCase().split(/(?<=[a-z])(?=\d)/))
    .filter((word) => word !== '')
  const at = words.findIndex((word) => wanted.includes(word))
  return at === -1 ? undefined : words.toSpliced(at, 1)
}

/** Returns the GeoJSON text of a point, undefined if both are empty, or throws `RefusedValue`. */
export function geopointText(latitude: unknown, longitude: unknown): string | undefined {
  if (isEmpty(latitude) && isEmpty(longitude)) return undefined
  if (isEmpty(latitude)) refuse('has a longitude but no latitude')
  if (isEmpty(longitude)) refuse('has a latitude but no longitude')
  return pointText(degrees(latitude, 'latitude', 90), degrees(longitude, 'longitude', 180))
}

export function pointText(latitude: number, longitude: number): string {
  return `{"type":"Point","coordinates":[${longitude},${latitude}]}`
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?$/

/** Reads a number of degrees from a text or a number, or throws `RefusedValue`. */
export function degrees(value: unknown, name: string, limit: number): number {
  const text = typeof value === 'string' ? value.trim() : String(value)
  if (!NUMBER.test(text)) refuse(`has a ${name} that is not a number`)
  const number = Number(text)
  if (Math.abs(number) > limit) refuse(`has a ${name} outside -${limit} to ${limit}`)
  return number
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}
