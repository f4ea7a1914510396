import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { freeName, propertyNameOf, wordsOf } from '../import/column-names.ts'
import type { ColumnOptions } from '../import/column-plan.ts'
import type { Coordinates, Place } from '../import/places.ts'
import { type ColumnGuess, type Findings, notesOf } from './findings.ts'
import { KEY_ROWS_CHECKED, soundsLikeKey } from './key-candidates.ts'
import { isKeptAsJson, scalarTypeOf, typeOf } from './value-guess.ts'

/** An object type as the data suggests it. */
export interface InferredType {
  readonly definition: ObjectTypeDefinition
  /** What reads the same data as objects of this type. */
  readonly columns: ColumnOptions
  /** What was guessed and why, a line each, for people. */
  readonly notes: readonly string[]
}

const KEY_TYPES: readonly string[] = ['string', 'integer', 'long', 'date', 'timestamp']
const TITLES = ['name', 'title', 'label', 'displayname']
const DISPLAY_NAME_LENGTH = 1000

export interface TypeWish {
  readonly apiName: string
  readonly displayName: string | undefined
  /** What the caller says about the columns, which holds. */
  readonly wishes: ColumnOptions
}

/** Makes a type of what was found in the rows. */
export function inferType(
  findings: Findings,
  { apiName, displayName, wishes }: TypeWish,
): InferredType {
  const properties = new Map<string, PropertyDefinition>()
  const propertyOf = new Map<string, string>()
  const places = placesOf(findings, wishes)
  const paired = new Set(places.flatMap(({ latitude, longitude }) => [latitude, longitude]))
  const geopoints = new Map<string, Coordinates>()
  const names = nameColumns(findings.columns, paired, wishes.map ?? new Map())

  for (const column of findings.columns) {
    const place = places.find(({ latitude, longitude }) =>
      [latitude, longitude].includes(column.name),
    )
    if (place === undefined) {
      const name = names.get(column.name) ?? column.name
      propertyOf.set(column.name, name)
      properties.set(name, describeColumn(column, name))
    } else if (![...geopoints.values()].includes(place)) {
      const taken = new Set([...names.values(), ...geopoints.keys()])
      const name = freeName(place.property, (candidate) => taken.has(candidate))
      geopoints.set(name, place)
      const description = `Made from the columns ${place.latitude} and ${place.longitude}.`
      properties.set(name, { type: 'geopoint', description: cut(description) })
    }
  }

  const candidates = findings.keys.filter((column) =>
    KEY_TYPES.includes(properties.get(propertyOf.get(column) ?? '')?.type ?? ''),
  )
  const keyColumn = candidates.find((column) => {
    const { type } = properties.get(propertyOf.get(column) ?? '') ?? {}
    // Amounts that happen to differ identify nothing; in the first column, numbers are no amounts.
    const isNumber = type === 'integer' || type === 'long'
    return !isNumber || soundsLikeKey(column) || column === findings.columns[0]?.name
  })
  const key =
    keyColumn === undefined || wishes.rowNumber !== undefined
      ? undefined
      : propertyOf.get(keyColumn)
  const rowNumber =
    key === undefined
      ? (wishes.rowNumber ?? freeName('row', (name) => properties.has(name)))
      : undefined
  const primaryKey = key ?? rowNumber ?? 'row'
  const title = titleOf(propertyOf, properties)

  return {
    definition: {
      apiName,
      ...(displayName === undefined || displayName === apiName
        ? {}
        : { displayName: cut(displayName) }),
      primaryKey,
      ...(title === undefined ? {} : { titleProperty: title }),
      properties: Object.fromEntries(
        rowNumber === undefined
          ? [...properties].map(([name, property]) =>
              name === key ? [name, asKey(property, findings.rows)] : [name, property],
            )
          : [[rowNumber, ROW_NUMBER], ...properties],
      ),
    },
    columns: columnOptions(propertyOf, geopoints, findings.tooMany, rowNumber, wishes),
    notes: notesOf({ findings, candidates, primaryKey, rowNumber, geopoints, propertyOf }),
  }
}

const ROW_NUMBER: PropertyDefinition = {
  type: 'integer',
  description: 'The number of the row, counted from 1: no column tells the objects apart.',
}

/** Names that columns can keep are kept; the others get one that is free. */
function nameColumns(
  columns: readonly ColumnGuess[],
  paired: ReadonlySet<string>,
  wished: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const open = columns.map(({ name }) => name).filter((name) => !paired.has(name))
  const names = new Map(
    open
      .map((name) => [name, wished.get(name) ?? name] as const)
      .filter(([name, given]) => wished.has(name) || propertyNameOf(name) === given),
  )
  const taken = new Set(names.values())
  for (const column of open) {
    if (names.has(column)) continue
    const name = freeName(propertyNameOf(column), (candidate) => taken.has(candidate))
    names.set(column, name)
    taken.add(name)
  }
  return names
}

function describeColumn(column: ColumnGuess, name: string): PropertyDefinition {
  const { type, ...inner } = typeOf(column.guess)
  const description =
    column.filled === 0
      ? 'Always empty in the data that this was guessed from.'
      : isKeptAsJson(column.guess)
        ? 'JSON text: no property type holds these values.'
        : undefined
  return {
    type,
    ...(column.name === name || column.name === '' ? {} : { displayName: cut(column.name) }),
    ...(description === undefined ? {} : { description }),
    ...inner,
  }
}

function asKey(property: PropertyDefinition, rows: number): PropertyDefinition {
  const checked = rows > KEY_ROWS_CHECKED ? `the first ${KEY_ROWS_CHECKED}` : `all ${rows}`
  const guessed = `Guessed to be the key: there and different in ${checked} rows.`
  return { ...property, description: guessed }
}

/** The places that the caller names, and those that are found among the other columns. */
function placesOf(
  { places, columns }: Findings,
  { geopoints = new Map() }: ColumnOptions,
): Place[] {
  const wished = [...geopoints].map(([property, place]) => ({ property, ...place }))
  const taken = new Set(wished.flatMap(({ latitude, longitude }) => [latitude, longitude]))
  const found = places.filter(
    (place) => !taken.has(place.latitude) && !taken.has(place.longitude) && isPlace(place, columns),
  )
  return [...wished, ...found]
}

/** Both columns hold numbers in the range of what their names say. */
function isPlace({ latitude, longitude }: Place, columns: readonly ColumnGuess[]): boolean {
  const holds = (name: string, limit: number) => {
    const column = columns.find((candidate) => candidate.name === name)
    if (column === undefined || column.filled === 0) return false
    const type = scalarTypeOf(column.guess.traits)
    return (type === 'double' || type === 'integer') && column.furthest <= limit
  }
  return holds(latitude, 90) && holds(longitude, 180)
}

function titleOf(
  propertyOf: ReadonlyMap<string, string>,
  properties: ReadonlyMap<string, PropertyDefinition>,
): string | undefined {
  const named = [...propertyOf].filter(([, name]) => {
    const property = properties.get(name)
    return property?.type === 'string' && property.description === undefined
  })
  const found = TITLES.flatMap((title) =>
    named.filter(([column]) => wordsOf(column).join('').toLowerCase() === title),
  )
  return found[0]?.[1]
}

function columnOptions(
  propertyOf: ReadonlyMap<string, string>,
  geopoints: ReadonlyMap<string, Coordinates>,
  tooMany: readonly string[],
  rowNumber: string | undefined,
  wishes: ColumnOptions,
): ColumnOptions {
  const { ignore } = wishes
  const renamed = [...propertyOf].filter(([column, name]) => propertyNameOf(column) !== name)
  return {
    ...(renamed.length === 0 ? {} : { map: new Map(renamed) }),
    ...(geopoints.size === 0 ? {} : { geopoints }),
    ...(ignore === undefined ? {} : { ignore }),
    ...(tooMany.length === 0 ? {} : { ignoresOthers: true }),
    ...(rowNumber === undefined ? {} : { rowNumber }),
  }
}

function cut(text: string): string {
  return text.length > DISPLAY_NAME_LENGTH ? `${text.slice(0, DISPLAY_NAME_LENGTH - 1)}…` : text
}
