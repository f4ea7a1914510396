/** Decides which column of a file provides which property of a type. */
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
  /** Whether the row number becomes the primary key if no column provides it. */
  readonly numberRows?: boolean
  /** Whether messages leave out which option of the command line helps. */
  readonly omitAdvice?: boolean
}

export interface ColumnPlan {
  /** Columns and their properties. */
  readonly columns: ReadonlyMap<string, string>
  /** Geopoint properties and their columns. */
  readonly geopoints: ReadonlyMap<string, CoordinateColumns>
  /** Struct properties and the columns with their fields. */
  readonly structs: ReadonlyMap<string, readonly StructColumn[]>
  readonly hasIgnoredColumns: boolean
}

/** Columns that do not match the type; the message says what to do. */
export class ColumnMismatch extends Error {
  override readonly name = 'ColumnMismatch'
  readonly columns: readonly string[]

  constructor(message: string, columns: readonly string[] = []) {
    super(message)
    this.columns = columns
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
  const scalarTypeOf = (name: string, option: string) => {
    const property = type.properties.get(name)
    if (property === undefined) {
      const names = [...type.properties.keys()].join(', ')
      throw new ColumnMismatch(
        `${option}: ${type.apiName} has no property ${name}; its properties are: ${names}`,
      )
    }
    return property.type.kind === 'scalar' ? property.type.type : property.type.kind
  }
  for (const [column, name] of options.map ?? []) scalarTypeOf(name, `--map ${column}=${name}`)
  for (const [name, { latitude, longitude }] of options.geopoints ?? []) {
    const option = `--geopoint ${name}=${latitude},${longitude}`
    const actual = scalarTypeOf(name, option)
    if (actual !== 'geopoint') {
      throw new ColumnMismatch(`${option}: ${name} has the type ${actual}, not geopoint`)
    }
  }
  checkGivenTypes(type, options)
  if (options.rowNumber !== undefined) {
    const option = `--row-number ${options.rowNumber}`
    const actual = scalarTypeOf(options.rowNumber, option)
    if (!ROW_NUMBER_TYPES.includes(actual)) {
      throw new ColumnMismatch(
        `${option}: ${options.rowNumber} has the type ${actual}; a row number needs ${ROW_NUMBER_TYPES.join(', ')}`,
      )
    }
  }
}

/** `--as` says what a column is; it cannot change a property that exists. */
function checkGivenTypes(type: ObjectType, { as = new Map(), map }: ColumnOptions): void {
  for (const [column, given] of as) {
    const property = type.properties.get(map?.get(column) ?? propertyNameOf(column))
    const actual = property === undefined ? undefined : typeName(property.type)
    const wanted = given.items === undefined ? given.type : `array of ${given.items.type}`
    if (actual === undefined || actual === wanted) continue
    throw new ColumnMismatch(
      `--as ${column}=${given.type}: ${type.apiName}.${property?.apiName} has the type ${actual}`,
      [column],
    )
  }
}

/** Throws `ColumnMismatch` if the options name columns that the file does not have. */
export function checkNamedColumns(columns: readonly string[], options: ColumnOptions): void {
  for (const [option, names] of [
    ['--map', options.map?.keys() ?? []],
    ['--ignore', options.ignore ?? []],
    ['--as', options.as?.keys() ?? []],
  ] as const) {
    for (const name of names) {
      if (!columns.includes(name)) throw unknownColumn(option, name, columns)
    }
  }
}

export function unknownColumn(
  option: string,
  name: string,
  columns: readonly string[],
): ColumnMismatch {
  const existing = columns.map(quoted).join(', ')
  return new ColumnMismatch(
    `${option}: the file has no column ${quoted(name)}; its columns are: ${existing}`,
    [name],
  )
}

/** Describes that no column provides the primary key, and what to do about it. */
export function missingKeyColumn(type: string, property: string): string {
  return `no column provides ${property}, the primary key of ${type}. ${keyAdvice(property)}.`
}

export function keyAdvice(property: string): string {
  return `Map a column with --map COLUMN=${property}, or number the rows from 1 with --row-number ${property}; objects that have these numbers are overwritten, or kept with --append`
}

/** Finds the property of each column; throws `ColumnMismatch` if the columns do not match. */
export function planColumns(
  type: ObjectType,
  columns: readonly string[],
  options: ColumnOptions,
): ColumnPlan {
  const sources = new Map<string, string>()
  const propertyOf = new Map<string, string>()
  const addSource = (property: string, source: string) => {
    const other = sources.get(property)
    if (other !== undefined) {
      throw new ColumnMismatch(
        `${other} and ${source} both provide the property ${property}. Skip one with --ignore, or map it with --map.`,
        [source],
      )
    }
    sources.set(property, source)
  }
  if (options.rowNumber !== undefined) addSource(options.rowNumber, 'the row number')

  const explicit = explicitGeopoints(columns, options)
  for (const property of explicit.keys()) {
    addSource(property, `the columns of --geopoint ${property}`)
  }
  const paired = new Set([...explicit.values()].flatMap(columnsOf))

  const match = (column: string, property: string) => {
    addSource(property, `column ${quoted(column)}`)
    propertyOf.set(column, property)
  }
  const open = columns.filter((column) => !options.ignore?.has(column) && !paired.has(column))
  if (options.key !== undefined && open.includes(options.key)) {
    match(options.key, type.primaryKey.apiName)
  }
  for (const column of open) {
    const property = options.map?.get(column) ?? column
    if (propertyOf.has(column)) continue
    if (type.properties.has(property)) match(column, property)
  }
  for (const column of open) {
    const property = propertyNameOf(column)
    if (!propertyOf.has(column) && type.properties.has(property)) match(column, property)
  }

  const structs = findStructColumns(
    type,
    open.filter((column) => !propertyOf.has(column)),
  )
  for (const property of structs.keys()) addSource(property, `the columns of ${property}`)
  const inStructs = new Set([...structs.values()].flat().map(({ column }) => column))
  const unmatched = open.filter((column) => !propertyOf.has(column) && !inStructs.has(column))
  const implied = impliedGeopoints(type, unmatched, sources)
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

function explicitGeopoints(
  columns: readonly string[],
  { geopoints = new Map() }: ColumnOptions,
): Map<string, CoordinateColumns> {
  const present = [...geopoints].filter(([property, pair]) => {
    const missing = columnsOf(pair).filter((column) => !columns.includes(column))
    if (missing.length !== 1) return missing.length === 0
    const [column = ''] = missing
    throw new ColumnMismatch(`--geopoint ${property}: the file has no column ${quoted(column)}`, [
      column,
    ])
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
  const [first] = columns
  if (first === undefined) return
  const [noun, it] = columns.length === 1 ? ['column', 'it'] : ['columns', 'them']
  const names = columns.map(quoted).join(', ')
  throw new ColumnMismatch(
    `${type.apiName} has no property for the ${noun} ${names}. ` +
      `Skip ${it} with --ignore ${shellQuoted(first)}, ` +
      `or map ${it} with --map ${shellQuoted(`${first}=PROPERTY`)}.`,
    columns,
  )
}

function columnsOf({ latitude, longitude }: CoordinateColumns): string[] {
  return [latitude, longitude]
}

/** Quotes a name, so that spaces and empty names are visible. */
function quoted(name: string): string {
  return JSON.stringify(name)
}

/** Quotes a text for a shell if necessary. */
function shellQuoted(text: string): string {
  return /^[\w.,=:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
