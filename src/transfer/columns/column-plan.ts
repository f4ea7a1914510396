/** Decides which column of a file provides which property of a type. */
import { RemediableError, type Remedy } from '../../formats/remedy.ts'
import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import { typeName } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { propertyNameOf } from './column-names.ts'
import { type CoordinateColumns, findGeopointColumns } from './geopoint-columns.ts'
import { findStructColumns, type StructColumn } from './struct-columns.ts'
import type { TextStyle } from './text-style.ts'

/** Explicit mappings; columns that they do not mention are matched by name. */
export interface ColumnOptions {
  /** Columns and their properties. */
  readonly map?: ReadonlyMap<string, string>
  /** Columns to skip. */
  readonly ignore?: ReadonlySet<string>
  /** Properties that combine a latitude and a longitude column. */
  readonly geopoints?: ReadonlyMap<string, CoordinateColumns>
  /** The property that gets the row number, counted from 1 over all files. */
  readonly rowNumber?: string
  /** The number of the row before the first one, if rows are numbered after others; 0 otherwise. */
  readonly rowsBefore?: number
  /** The column with the primary key. */
  readonly key?: string
  /** The types of columns, if the object type is inferred. */
  readonly as?: ReadonlyMap<string, PropertyDefinition>
  /** How the texts of all columns are written. */
  readonly texts?: TextStyle
  /** How the texts of single columns are written. */
  readonly columnTexts?: ReadonlyMap<string, TextStyle>
  /** Whether columns without a property are skipped instead of rejected. */
  readonly ignoreUnmatched?: boolean
  /** Whether an empty cell is written as null, which removes a value from an object in a merge. */
  readonly writesNulls?: boolean
  /** Whether the row number becomes the primary key if no column provides it. */
  readonly numberRows?: boolean
}

export interface ColumnPlan {
  /** Columns and their properties. */
  readonly columns: ReadonlyMap<string, string>
  /** Geopoint properties and their columns. */
  readonly geopoints: ReadonlyMap<string, CoordinateColumns>
  /** Struct properties and the columns with their fields. */
  readonly structs: ReadonlyMap<string, readonly StructColumn[]>
  readonly hasIgnoredColumns: boolean
  /** All columns, if rows have their values in this order. */
  readonly table?: readonly string[]
}

/** A member of the options, with the value that is at fault. */
interface FaultyOption {
  readonly name: keyof ColumnOptions
  readonly value?: string
}

/** Columns or options that do not match the type. */
export class ColumnMismatch extends RemediableError {
  override readonly name = 'ColumnMismatch'
  readonly columns: readonly string[]
  readonly option: FaultyOption | undefined

  constructor(
    message: string,
    {
      columns = [],
      option,
      remedy,
    }: {
      readonly columns?: readonly string[]
      readonly option?: FaultyOption
      readonly remedy?: Remedy
    } = {},
  ) {
    super(message, { remedy })
    this.columns = columns
    this.option = option
  }
}

/** The property types that can hold a row number. */
export const ROW_NUMBER_TYPES: readonly string[] = [
  'string',
  'short',
  'integer',
  'long',
  'double',
  'decimal',
]

/** Throws `ColumnMismatch` if the options name properties that the type does not have. */
export function checkColumnOptions(type: ObjectType, options: ColumnOptions): void {
  const requireType = (property: string, option: FaultyOption, allowed?: readonly string[]) => {
    const { type: found } = type.properties.get(property) ?? {}
    const names = [...type.properties.keys()].join(', ')
    if (found === undefined) {
      const message = `${type.apiName} has no property ${property}; its properties are: ${names}`
      throw new ColumnMismatch(message, { option })
    }
    const actual = found.kind === 'scalar' ? found.type : found.kind
    if (allowed === undefined || allowed.includes(actual)) return
    const message = `${property} has the type ${actual}, but needs ${allowed.join(', ')}`
    throw new ColumnMismatch(message, { option })
  }
  for (const [column, property] of options.map ?? []) {
    requireType(property, { name: 'map', value: `${column}=${property}` })
  }
  for (const [property, { latitude, longitude }] of options.geopoints ?? []) {
    const value = `${property}=${latitude},${longitude}`
    requireType(property, { name: 'geopoints', value }, ['geopoint'])
  }
  checkGivenTypes(type, options)
  const { rowNumber } = options
  if (rowNumber !== undefined) {
    requireType(rowNumber, { name: 'rowNumber', value: rowNumber }, ROW_NUMBER_TYPES)
  }
}

/** A given type says what a column is; it cannot change a property that exists. */
function checkGivenTypes(type: ObjectType, { as = new Map(), map }: ColumnOptions): void {
  for (const [column, given] of as) {
    const property = type.properties.get(map?.get(column) ?? propertyNameOf(column))
    const actual = property === undefined ? undefined : typeName(property.type)
    const wanted = given.items === undefined ? given.type : `array of ${given.items.type}`
    if (actual === undefined || actual === wanted) continue
    throw new ColumnMismatch(`${type.apiName}.${property?.apiName} has the type ${actual}`, {
      columns: [column],
      option: { name: 'as', value: `${column}=${given.type}` },
    })
  }
}

/** Throws `ColumnMismatch` if the options name columns that the file does not have. */
export function checkNamedColumns(columns: readonly string[], options: ColumnOptions): void {
  for (const name of ['map', 'ignore', 'as'] as const) {
    for (const column of options[name]?.keys() ?? []) {
      if (!columns.includes(column)) throw unknownColumn({ name }, column, columns)
    }
  }
}

export function unknownColumn(
  option: FaultyOption,
  name: string,
  columns: readonly string[],
): ColumnMismatch {
  const existing = columns.map(quoted).join(', ')
  return new ColumnMismatch(
    `the file has no column ${quoted(name)}; its columns are: ${existing}`,
    { columns: [name], option },
  )
}

/** Returns the error that no column provides the primary key. */
export function missingKeyColumn(
  type: string,
  property: string,
  areNumbersTaken = false,
): ColumnMismatch {
  return new ColumnMismatch(`no column provides ${property}, the primary key of ${type}`, {
    remedy: { do: 'provideKey', property, areNumbersTaken },
  })
}

/** Finds the property of each column; throws `ColumnMismatch` if the columns do not match. */
export function planColumns(
  type: ObjectType,
  columns: readonly string[],
  options: ColumnOptions,
): ColumnPlan {
  const explicit = explicitGeopoints(columns, options)
  const paired = new Set([...explicit.values()].flatMap(columnsOf))
  const open = columns.filter((column) => !options.ignore?.has(column) && !paired.has(column))
  const propertyOf = matchByName(type, open, options)
  const structs = findStructColumns(
    type,
    open.filter((column) => !propertyOf.has(column)),
  )
  const sources: (readonly [property: string, source: string])[] = [
    ...(options.rowNumber === undefined ? [] : [[options.rowNumber, 'the row number'] as const]),
    ...[...explicit.keys()].map((name) => [name, `the columns of the geopoint ${name}`] as const),
    ...[...propertyOf].map(([column, name]) => [name, `column ${quoted(column)}`] as const),
    ...[...structs.keys()].map((name) => [name, `the columns of ${name}`] as const),
  ]
  rejectTwoSources(sources)

  const inStructs = new Set([...structs.values()].flat().map(({ column }) => column))
  const unmatched = open.filter((column) => !propertyOf.has(column) && !inStructs.has(column))
  const implied = impliedGeopoints(type, unmatched, new Map(sources))
  const used = new Set([...implied.values()].flatMap(columnsOf))
  const others = unmatched.filter((column) => !used.has(column))
  if (options.ignoreUnmatched !== true) rejectUnmatched(type, others)
  return {
    columns: propertyOf,
    geopoints: new Map([...explicit, ...implied]),
    structs,
    hasIgnoredColumns: others.length > 0 || columns.some((column) => options.ignore?.has(column)),
  }
}

/** Matches the key first, then columns that are mapped or named like a property, then similar ones. */
function matchByName(
  type: ObjectType,
  columns: readonly string[],
  { key, map }: ColumnOptions,
): ReadonlyMap<string, string> {
  const propertyOf = new Map<string, string>()
  if (key !== undefined && columns.includes(key)) propertyOf.set(key, type.primaryKey.apiName)
  for (const nameOf of [(column: string) => map?.get(column) ?? column, propertyNameOf]) {
    for (const column of columns) {
      const property = nameOf(column)
      if (!propertyOf.has(column) && type.properties.has(property)) propertyOf.set(column, property)
    }
  }
  return propertyOf
}

function rejectTwoSources(sources: readonly (readonly [property: string, source: string])[]): void {
  const sourceOf = new Map<string, string>()
  for (const [property, source] of sources) {
    const other = sourceOf.get(property)
    if (other !== undefined) {
      throw new ColumnMismatch(`${other} and ${source} both provide the property ${property}`, {
        columns: [source],
        remedy: { do: 'skipOneColumn' },
      })
    }
    sourceOf.set(property, source)
  }
}

function explicitGeopoints(
  columns: readonly string[],
  { geopoints = new Map() }: ColumnOptions,
): Map<string, CoordinateColumns> {
  const present = [...geopoints].filter(([property, pair]) => {
    const missing = columnsOf(pair).filter((column) => !columns.includes(column))
    if (missing.length !== 1) return missing.length === 0
    const [column = ''] = missing
    throw new ColumnMismatch(`the file has no column ${quoted(column)}`, {
      columns: [column],
      option: { name: 'geopoints', value: property },
    })
  })
  return new Map(present)
}

/** Pairs columns for geopoints without a source: by name, or the only pair with the only geopoint. */
function impliedGeopoints(
  type: ObjectType,
  columns: readonly string[],
  sources: ReadonlyMap<string, string>,
): Map<string, CoordinateColumns> {
  const free = [...type.properties.values()]
    .filter((property) => property.type.kind === 'scalar' && property.type.type === 'geopoint')
    .map(({ apiName }) => apiName)
    .filter((name) => !sources.has(name))
  const pairs = findGeopointColumns(columns)
  const [onlyFree] = free
  const [onlyPair] = pairs
  if (free.length === 1 && pairs.length === 1 && onlyFree !== undefined && onlyPair) {
    return new Map([[onlyFree, onlyPair]])
  }
  return new Map(
    pairs
      .filter(({ property }) => free.includes(property))
      .map((pair) => [pair.property, pair] as const),
  )
}

function rejectUnmatched(type: ObjectType, columns: readonly string[]): void {
  if (columns.length === 0) return
  const noun = columns.length === 1 ? 'column' : 'columns'
  throw new ColumnMismatch(
    `${type.apiName} has no property for the ${noun} ${columns.map(quoted).join(', ')}`,
    { columns, remedy: { do: 'skipOrMapColumns', columns } },
  )
}

function columnsOf({ latitude, longitude }: CoordinateColumns): string[] {
  return [latitude, longitude]
}

/** Quotes a name, so that spaces and empty names are visible. */
function quoted(name: string): string {
  return JSON.stringify(name)
}

/** Returns how the texts of a column are written, from the options for it and for all columns. */
export function styleOf(column: string, { as, texts, columnTexts }: ColumnOptions): TextStyle {
  const own = columnTexts?.get(column)
  const explicit = as?.has(column) ? 'grouped' : undefined
  return {
    numbers: own?.numbers ?? texts?.numbers ?? explicit,
    dateFormats: [...(texts?.dateFormats ?? []), ...(own?.dateFormats ?? [])],
    nulls: [...(texts?.nulls ?? []), ...(own?.nulls ?? [])],
  }
}
