import { refuse } from '../../ontology/values/refused-value.ts'
import { camelName, wordsOf } from './column-names.ts'

/** Places that a file keeps in two columns, latitude and longitude. */

/** The two columns of a place. */
export interface Coordinates {
  readonly latitude: string
  readonly longitude: string
}

export interface Place extends Coordinates {
  /** What a property made of the two is called: `location`, `originLocation`. */
  readonly property: string
}

const LATITUDE = ['lat', 'latitude']
const LONGITUDE = ['lon', 'lng', 'long', 'longitude']

/** Pairs of columns that are named alike but for latitude and longitude. */
export function findPlaces(columns: readonly string[]): Place[] {
  const longitudes = new Map<string, string>()
  for (const column of columns) {
    const rest = wordsBeside(column, LONGITUDE)?.join(' ')
    if (rest !== undefined && !longitudes.has(rest)) longitudes.set(rest, column)
  }
  return columns.flatMap((latitude) => {
    const words = wordsBeside(latitude, LATITUDE)
    const longitude = longitudes.get(words?.join(' ') ?? '')
    if (words === undefined || longitude === undefined) return []
    // Each column belongs to one place.
    longitudes.delete(words.join(' '))
    return [{ latitude, longitude, property: camelName([...words, 'location']) }]
  })
}

/** The other words of a name that holds one of `wanted`, in lower case; `lat1` counts as `lat 1`. */
function wordsBeside(column: string, wanted: readonly string[]): string[] | undefined {
  const words = wordsOf(column)
    .flatMap((word) => word.toLowerCase().split(/(?<=[a-z])(?=\d)/))
    .filter((word) => word !== '')
  const at = words.findIndex((word) => wanted.includes(word))
  return at === -1 ? undefined : words.toSpliced(at, 1)
}

/** The GeoJSON text of a place, undefined where it is empty, or throws `RefusedValue`. */
export function placeText(latitude: unknown, longitude: unknown): string | undefined {
  if (isEmpty(latitude) && isEmpty(longitude)) return undefined
  if (isEmpty(latitude)) refuse('has a longitude but no latitude')
  if (isEmpty(longitude)) refuse('has a latitude but no longitude')
  return pointText(degrees(latitude, 'latitude', 90), degrees(longitude, 'longitude', 180))
}

export function pointText(latitude: number, longitude: number): string {
  return `{"type":"Point","coordinates":[${longitude},${latitude}]}`
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?$/

/** A number of degrees, from text or a number, or throws `RefusedValue`. */
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
