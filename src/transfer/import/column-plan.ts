import type { ObjectType } from '../../ontology/ontology.ts'
import { propertyNameOf } from './column-names.ts'
import { type Coordinates, findPlaces } from './places.ts'

/** Which column of a file gives which property of a type. */

/** What the caller says about the columns; the rest follows from their names. */
export interface ColumnOptions {
  /** Columns and their properties, where the names differ. */
  readonly map?: ReadonlyMap<string, string>
  /** Columns that are left out. */
  readonly ignore?: ReadonlySet<string>
  /** Properties that are made of a latitude and a longitude. */
  readonly geopoints?: ReadonlyMap<string, Coordinates>
  /** The property that gets the number of the row, counted from 1 over all files. */
  readonly rowNumber?: string
  /** Whether columns without a property are left out. */
  readonly ignoresOthers?: boolean
  /** Whether the key is the number of the row where no column gives it. */
  readonly numbersRows?: boolean
}

export interface ColumnPlan {
  /** Columns and their properties. */
  readonly columns: ReadonlyMap<string, string>
  /** Properties and the columns of their latitude and longitude. */
  readonly places: ReadonlyMap<string, Coordinates>
  /** Whether a column is left out. */
  readonly ignores: boolean
}

/** The columns do not fit the type, and what to do about it. */
export class UnfitColumns extends Error {
  override readonly name = 'UnfitColumns'
  readonly columns: readonly string[]

  constructor(message: string, columns: readonly string[] = []) {
    super(message)
    this.columns = columns
  }
}

/** Row numbers are whole, so they can stand in any type that holds whole numbers, or text. */
export const ROW_NUMBER_TYPES: readonly string[] = [
  'string',
  'short',
  'integer',
  'long',
  'double',
  'decimal',
]

/** Refuses options that name what the type does not have. */
export function checkColumnOptions(type: ObjectType, options: ColumnOptions): void {
  const scalarTypeOf = (name: string, option: string) => {
    const property = type.properties.get(name)
    if (property === undefined) {
      throw new UnfitColumns(`${type.apiName} has no property ${name}, which ${option} names`)
    }
    return property.type.kind === 'scalar' ? property.type.type : property.type.kind
  }
  for (const [column, name] of options.map ?? []) scalarTypeOf(name, `--map ${column}=${name}`)
  for (const [name, { latitude, longitude }] of options.geopoints ?? []) {
    const found = scalarTypeOf(name, `--geopoint ${name}=${latitude},${longitude}`)
    if (found !== 'geopoint') throw new UnfitColumns(`${name} is ${found}, not a geopoint`)
  }
  if (options.rowNumber !== undefined) {
    const found = scalarTypeOf(options.rowNumber, `--row-number ${options.rowNumber}`)
    if (!ROW_NUMBER_TYPES.includes(found)) {
      throw new UnfitColumns(`${options.rowNumber} is ${found}, which holds no row numbers`)
    }
  }
}

/** Refuses options about columns that the file does not have. */
export function checkNamedColumns(columns: readonly string[], options: ColumnOptions): void {
  for (const [option, names] of [
    ['--map', options.map?.keys() ?? []],
    ['--ignore', options.ignore ?? []],
  ] as const) {
    for (const name of names) {
      if (columns.includes(name)) continue
      const there = columns.map(quoted).join(', ')
      throw new UnfitColumns(
        `${option} names the column ${quoted(name)}, but there are: ${there}`,
        [name],
      )
    }
  }
}

/** Finds the property of each column, or throws `UnfitColumns`. */
export function planColumns(
  type: ObjectType,
  columns: readonly string[],
  options: ColumnOptions,
): ColumnPlan {
  const sources = new Map<string, string>()
  const propertyOf = new Map<string, string>()
  const give = (property: string, source: string) => {
    const other = sources.get(property)
    if (other !== undefined) {
      throw new UnfitColumns(`${other} and ${source} both give the property ${property}`, [source])
    }
    sources.set(property, source)
  }
  if (options.rowNumber !== undefined) give(options.rowNumber, 'the row number')

  const places = explicitPlaces(columns, options)
  for (const property of places.keys()) give(property, `the columns of --geopoint ${property}`)
  const paired = new Set([...places.values()].flatMap(columnsOf))

  const take = (column: string, property: string) => {
    give(property, `column ${quoted(column)}`)
    propertyOf.set(column, property)
  }
  const open = columns.filter((column) => !options.ignore?.has(column) && !paired.has(column))
  for (const column of open) {
    const property = options.map?.get(column) ?? column
    if (type.properties.has(property)) take(column, property)
  }
  for (const column of open) {
    const property = propertyNameOf(column)
    if (!propertyOf.has(column) && type.properties.has(property)) take(column, property)
  }

  const unmatched = open.filter((column) => !propertyOf.has(column))
  const found = impliedPlaces(type, unmatched, sources)
  const used = new Set([...found.values()].flatMap(columnsOf))
  const others = unmatched.filter((column) => !used.has(column))
  if (options.ignoresOthers !== true) refuseUnmatched(type, others)
  return {
    columns: propertyOf,
    places: new Map([...places, ...found]),
    ignores: others.length > 0 || columns.some((column) => options.ignore?.has(column)),
  }
}

function explicitPlaces(
  columns: readonly string[],
  { geopoints = new Map() }: ColumnOptions,
): Map<string, Coordinates> {
  const present = [...geopoints].filter(([, place]) => {
    const missing = columnsOf(place).filter((column) => !columns.includes(column))
    if (missing.length !== 1) return missing.length === 0
    const [column = ''] = missing
    throw new UnfitColumns(`there is no column ${quoted(column)} beside the other of its place`, [
      column,
    ])
  })
  return new Map(present)
}

/** Latitudes and longitudes for the geopoints that nothing else gives: by name, or the only ones. */
function impliedPlaces(
  type: ObjectType,
  columns: readonly string[],
  sources: ReadonlyMap<string, string>,
): Map<string, Coordinates> {
  const free = [...type.properties.values()]
    .filter((property) => property.type.kind === 'scalar' && property.type.type === 'geopoint')
    .map(({ apiName }) => apiName)
    .filter((name) => !sources.has(name))
  const places = findPlaces(columns)
  const [onlyFree] = free
  const [onlyPlace] = places
  if (free.length === 1 && places.length === 1 && onlyFree !== undefined && onlyPlace) {
    return new Map([[onlyFree, onlyPlace]])
  }
  return new Map(
    places
      .filter(({ property }) => free.includes(property))
      .map((place) => [place.property, place] as const),
  )
}

function refuseUnmatched(type: ObjectType, columns: readonly string[]): void {
  const [first] = columns
  if (first === undefined) return
  const [are, them, ways] =
    columns.length === 1
      ? ['is no property', 'it', 'its property']
      : ['are no properties', 'them', 'their properties']
  const names = columns.map(quoted).join(', ')
  throw new UnfitColumns(
    `${columns.length === 1 ? 'column' : 'columns'} ${names} ${are} of ${type.apiName}: ` +
      `leave ${them} out with --ignore ${shellWord(first)}, ` +
      `or name ${ways} with --map ${shellWord(`${first}=PROPERTY`)}`,
    columns,
  )
}

function columnsOf({ latitude, longitude }: Coordinates): string[] {
  return [latitude, longitude]
}

/** A name as people see it, so that spaces and empty names show. */
function quoted(name: string): string {
  return JSON.stringify(name)
}

/** A word to be pasted into a shell. */
function shellWord(text: string): string {
  return /^[\w.,=:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
