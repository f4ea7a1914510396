import type { Note } from '../../formats/remedy.ts'
import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { WHOLE_TYPES } from '../../ontology/definition/property-type.ts'
import { freeName, propertyNameOf, wordsOf } from '../columns/column-names.ts'
import type { ColumnOptions } from '../columns/column-plan.ts'
import type { CoordinateColumns, GeopointColumns } from '../columns/geopoint-columns.ts'
import type { TextStyle } from '../columns/text-style.ts'
import { columnTypes } from './column-type.ts'
import {
  type ColumnGuess,
  type ColumnType,
  type Conclusions,
  type Findings,
  notesOf,
} from './findings.ts'
import { givenKeyColumn, makeKey } from './given-key.ts'
import { identifiesRows } from './key-candidates.ts'
import { type NarrowType, narrowestTypes, wideProperties } from './narrowest-types.ts'
import { isKeptAsJson } from './value-guess.ts'

/** An object type inferred from data. */
export interface InferredType {
  readonly definition: ObjectTypeDefinition
  /** The options to read the same data as objects of this type. */
  readonly columns: ColumnOptions
  /** The property of each column, except of those that are paired to geopoints. */
  readonly propertyOf: ReadonlyMap<string, string>
  /** The narrowest type that holds the values, by property, where it differs from the definition. */
  readonly narrowest: ReadonlyMap<string, NarrowType>
  /** The properties with whole numbers that a double cannot hold. */
  readonly wide: ReadonlySet<string>
  /** How the texts of a column are read if they are not plain, for the user. */
  readonly styleNotes: ReadonlyMap<string, Note>
  /** The properties that had another value in every row, the most likely key first. */
  readonly keyCandidates: readonly string[]
  /** What was inferred and why, for the user. */
  readonly notes: readonly Note[]
}

const WHOLE: readonly string[] = WHOLE_TYPES
const KEY_TYPES: readonly string[] = ['string', ...WHOLE, 'date', 'timestamp']
const TITLES = ['name', 'title', 'label', 'displayname']
const DISPLAY_NAME_LENGTH = 1000

export interface TypeOptions {
  readonly apiName: string
  readonly displayName: string | undefined
  /** Explicit column options, which take precedence. */
  readonly columnOptions: ColumnOptions
}

/** Builds an object type from the findings about the rows. */
export function inferType(findings: Findings, options: TypeOptions): InferredType {
  const { apiName, displayName, columnOptions } = options
  const types = columnTypes(findings.columns, columnOptions)
  const assigned = assignProperties(findings, types, columnOptions)
  const { propertyOf } = assigned
  const { properties, ...key } = chooseKey(findings, assigned, types, columnOptions)
  const { primaryKey, candidates, title } = key
  const conclusions = { ...assigned, ...key, findings, types }
  return {
    definition: {
      apiName,
      ...(displayName && displayName !== apiName && { displayName: cut(displayName) }),
      primaryKey,
      ...(title !== undefined && { titleProperty: title }),
      properties: Object.fromEntries(properties),
    },
    columns: readOptions(conclusions, columnOptions),
    propertyOf,
    narrowest: narrowestTypes(findings.columns, propertyOf, types),
    wide: wideProperties(findings.columns, propertyOf),
    styleNotes: new Map(
      [...types].flatMap(([column, { style, note }]) => (style && note ? [[column, note]] : [])),
    ),
    keyCandidates: candidates.map((column) => propertyOf.get(column) ?? column),
    notes: notesOf(conclusions),
  }
}

interface AssignedProperties {
  readonly properties: ReadonlyMap<string, PropertyDefinition>
  /** The property of each column, except of those that are paired to geopoints. */
  readonly propertyOf: ReadonlyMap<string, string>
  readonly geopoints: ReadonlyMap<string, CoordinateColumns>
}

/** Gives each column a property, and each pair of coordinates one at the place of the first. */
function assignProperties(
  findings: Findings,
  types: ReadonlyMap<string, ColumnType>,
  columnOptions: ColumnOptions,
): AssignedProperties {
  const properties = new Map<string, PropertyDefinition>()
  const propertyOf = new Map<string, string>()
  const geopoints = new Map<string, CoordinateColumns>()
  const pairs = geopointPairs(findings, types, columnOptions)
  const pairOf = new Map(
    pairs.flatMap((pair) => [[pair.latitude, pair] as const, [pair.longitude, pair] as const]),
  )
  const names = nameColumns(findings.columns, pairOf, columnOptions.map ?? new Map())
  for (const column of findings.columns) {
    const pair = pairOf.get(column.name)
    if (pair === undefined) {
      const name = names.get(column.name) ?? column.name
      propertyOf.set(column.name, name)
      properties.set(name, describeColumn(column, name, types))
    } else if (![...geopoints.values()].includes(pair)) {
      const taken = new Set([...names.values(), ...geopoints.keys()])
      const name = freeName(pair.property, (candidate) => taken.has(candidate))
      geopoints.set(name, pair)
      const description = `From the columns ${pair.latitude} and ${pair.longitude}.`
      properties.set(name, { type: 'geopoint', description: cut(description) })
    }
  }
  return { properties, propertyOf, geopoints }
}

/**
 * Chooses the primary key (the given one, a column that identifies rows, or the row number) and the
 * title.
 */
function chooseKey(
  findings: Findings,
  { properties, propertyOf }: AssignedProperties,
  types: ReadonlyMap<string, ColumnType>,
  columnOptions: ColumnOptions,
) {
  const typeOf = (column: string) => properties.get(propertyOf.get(column) ?? '')?.type ?? ''
  const candidates = findings.keys.filter(
    (column) => KEY_TYPES.includes(typeOf(column)) && types.get(column)?.style?.nulls === undefined,
  )
  const given = givenKeyColumn(propertyOf, columnOptions)
  const found = candidates.find((column) =>
    identifiesRows(column, {
      isNumber: WHOLE.includes(typeOf(column)),
      isFirst: column === findings.columns[0]?.name,
    }),
  )
  const column = columnOptions.rowNumber === undefined ? (given ?? found) : undefined
  const key = column === undefined ? undefined : propertyOf.get(column)
  const keyed = new Map(properties)
  if (given !== undefined) makeKey(keyed, propertyOf.get(given) ?? given)
  // Before the key gets a description: a property that has one is no title.
  const title = titleOf(propertyOf, keyed)
  const chosen = { candidates, isKeyGiven: given !== undefined, title }
  if (key === undefined) {
    const { rowNumber = freeName('row', (name) => properties.has(name)) } = columnOptions
    const numbered = new Map([[rowNumber, ROW_NUMBER], ...keyed])
    return { ...chosen, primaryKey: rowNumber, rowNumber, properties: numbered }
  }
  const property = keyed.get(key)
  if (property && given === undefined) keyed.set(key, { ...property, description: KEY_DESCRIPTION })
  return { ...chosen, primaryKey: key, rowNumber: undefined, properties: keyed }
}

/** Names no number of rows: more rows of the same kind must not make another type. */
const KEY_DESCRIPTION =
  'Inferred to be the primary key: all rows that were compared have different values.'

/** The property that identifies objects by their row. */
export const ROW_NUMBER: PropertyDefinition = {
  type: 'integer',
  description: 'Row number, counted from 1, because no column identifies the objects.',
}

/** Assigns property names: columns with a valid name keep it, the others get a free one. */
function nameColumns(
  columns: readonly ColumnGuess[],
  paired: ReadonlyMap<string, unknown>,
  mapped: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const open = columns.map(({ name }) => name).filter((name) => !paired.has(name))
  const names = new Map(
    open
      .map((name) => [name, mapped.get(name) ?? name] as const)
      .filter(([name, property]) => mapped.has(name) || propertyNameOf(name) === property),
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

function describeColumn(
  column: ColumnGuess,
  name: string,
  types: ReadonlyMap<string, ColumnType>,
): PropertyDefinition {
  const { type, ...inner } = types.get(column.name)?.definition ?? { type: 'string' }
  const isText = type === 'string'
  const description =
    column.filled === 0
      ? 'Always empty in the data that this type was inferred from.'
      : isText && isKeptAsJson(column.guess)
        ? 'JSON text, because no property type can hold these values.'
        : undefined
  return {
    type,
    ...(column.name === name || column.name === '' ? {} : { displayName: cut(column.name) }),
    ...(description === undefined ? {} : { description }),
    ...inner,
  }
}

/** Returns the pairs of the options, and those found among the other columns. */
function geopointPairs(
  findings: Findings,
  types: ReadonlyMap<string, ColumnType>,
  { geopoints = new Map(), as, map, key }: ColumnOptions,
): GeopointColumns[] {
  const explicit = [...geopoints].map(([property, pair]) => ({ property, ...pair }))
  const taken = new Set(explicit.flatMap(({ latitude, longitude }) => [latitude, longitude]))
  const isFree = (column: string) =>
    !taken.has(column) && !as?.has(column) && !map?.has(column) && column !== key
  const implied = findings.geopoints.filter(
    (pair) =>
      isFree(pair.latitude) &&
      isFree(pair.longitude) &&
      areCoordinates(pair, findings.columns, types),
  )
  return [...explicit, ...implied]
}

/** Returns whether both columns hold numbers in the range of a latitude and a longitude. */
function areCoordinates(
  { latitude, longitude }: GeopointColumns,
  columns: readonly ColumnGuess[],
  types: ReadonlyMap<string, ColumnType>,
): boolean {
  const holds = (name: string, limit: number) => {
    const column = columns.find((candidate) => candidate.name === name)
    const { definition, style } = types.get(name) ?? {}
    if (column === undefined || column.filled === 0 || style !== undefined) return false
    return COORDINATE_TYPES.includes(definition?.type ?? '') && column.maxMagnitude <= limit
  }
  return holds(latitude, 90) && holds(longitude, 180)
}

const COORDINATE_TYPES: readonly string[] = ['integer', 'long', 'float', 'double', 'decimal']

function titleOf(
  propertyOf: ReadonlyMap<string, string>,
  properties: ReadonlyMap<string, PropertyDefinition>,
): string | undefined {
  const named = [...propertyOf].filter(([, name]) => {
    const property = properties.get(name)
    return property?.type === 'string' && property.description === undefined
  })
  const [title] = TITLES.flatMap((title) =>
    named.filter(([column]) => wordsOf(column).join('').toLowerCase() === title),
  )
  return title?.[1]
}

/** Returns the options to read the same data as objects of the inferred type. */
function readOptions(
  { findings, types, propertyOf, geopoints, rowNumber }: Conclusions,
  { ignore, texts }: ColumnOptions,
): ColumnOptions {
  const styled = [...types].flatMap(([column, { style }]): [string, TextStyle][] =>
    style === undefined ? [] : [[column, style]],
  )
  const renamed = [...propertyOf].filter(([column, name]) => propertyNameOf(column) !== name)
  return {
    ...(renamed.length === 0 ? {} : { map: new Map(renamed) }),
    ...(geopoints.size === 0 ? {} : { geopoints }),
    ...(ignore === undefined ? {} : { ignore }),
    ...(findings.excessColumns.length === 0 ? {} : { ignoreUnmatched: true }),
    ...(rowNumber === undefined ? {} : { rowNumber }),
    ...(texts === undefined ? {} : { texts }),
    ...(styled.length === 0 ? {} : { columnTexts: new Map(styled) }),
  }
}

function cut(text: string): string {
  return text.length > DISPLAY_NAME_LENGTH ? `${text.slice(0, DISPLAY_NAME_LENGTH - 1)}…` : text
}
