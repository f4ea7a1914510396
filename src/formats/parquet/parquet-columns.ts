/**
 * Maps the columns of a Parquet file to cell values: text, numbers, bigints and booleans as they are;
 * dates, times, timestamps and decimals as exact text; JSON as its value; lists as arrays; structs and
 * maps as objects.
 */

import { type ParquetParsers, parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet'
import { type DeclaredType, ownValue, setCell, UnreadableFile } from '../row.ts'
import {
  bigEndianInteger,
  dateText,
  decimalText,
  jsonValue,
  timeOfDayText,
  timestampText,
  utf8Text,
} from './parquet-text.ts'
import { declaredType, logicalType } from './parquet-types.ts'

export interface ParquetColumn {
  readonly name: string
  /** True for a column that is not read; its cells have no value. */
  readonly isIgnored: boolean
  readonly declared: DeclaredType | undefined
  /** Whether a row without a value has an empty list. */
  readonly isList: boolean
  /** Converts a value that hyparquet decoded; undefined if none is needed. */
  readonly convert: Convert | undefined
}

type Convert = (value: unknown) => unknown

/** The parsers with which hyparquet decodes logical types. */
export const PARQUET_PARSERS: Partial<ParquetParsers> = {
  stringFromBytes: utf8Text,
  jsonFromBytes: jsonValue,
  dateFromDays: dateText,
  timestampFromMilliseconds: (value) => timestampText(BigInt(value), UNITS_PER_SECOND.MILLIS),
  timestampFromMicroseconds: (value) => timestampText(value, UNITS_PER_SECOND.MICROS),
  timestampFromNanoseconds: (value) => timestampText(value, UNITS_PER_SECOND.NANOS),
}

/** How to read columns that no property type matches. */
export interface ParquetColumnOptions {
  /** Columns that are not read. */
  readonly ignore?: ReadonlySet<string> | undefined
  /** Columns of bytes that are UTF-8 text, as old programs write it. */
  readonly text?: ReadonlySet<string> | undefined
}

/**
 * Returns the columns of a schema, and the schema adapted for hyparquet, which would decode decimals
 * as binary floats and knows some types only by their older names.
 */
export function parquetColumns(
  given: readonly SchemaElement[],
  { ignore, text }: ParquetColumnOptions = {},
): {
  readonly columns: readonly ParquetColumn[]
  readonly schema: SchemaElement[]
} {
  // The library does not check it.
  if (given.some(({ name }) => typeof name !== 'string')) {
    throw new UnreadableFile('the metadata is damaged: a column has no name')
  }
  const schema = given.map((element) =>
    text?.has(element.name) && isBare(element) ? asText(element) : element,
  )
  const root = parquetSchema({ schema } as Parameters<typeof parquetSchema>[0])
  const seen = new Set<string>()
  const columns = root.children.map((node): ParquetColumn => {
    const { name } = node.element
    if (seen.has(name)) throw new UnreadableFile(`two columns have the name ${name}`)
    seen.add(name)
    if (ignore?.has(name)) {
      return { name, isIgnored: true, isList: false, declared: undefined, convert: undefined }
    }
    const [declared, isList] = [declaredType(node), isRepeated(node)]
    return { name, isIgnored: false, isList, declared, convert: converterOf(node) }
  })
  return { columns, schema: schema.map(adaptedElement) }
}

/** Returns whether a field is a list by itself, of which hyparquet gives an empty one as null. */
function isRepeated({ element }: SchemaTree): boolean {
  return element.repetition_type === 'REPEATED'
}

/** Returns whether an element is bytes without a declared meaning. */
function isBare(element: SchemaElement): boolean {
  return element.type === 'BYTE_ARRAY' && logicalType(element) === undefined
}

function asText(element: SchemaElement): SchemaElement {
  return { ...element, converted_type: 'UTF8' }
}

function adaptedElement(element: SchemaElement): SchemaElement {
  switch (logicalType(element)) {
    case 'DECIMAL': {
      const { converted_type, logical_type, ...plain } = element
      return plain
    }
    case 'ENUM':
      return { ...element, converted_type: 'UTF8' }
    case 'LIST':
    case 'MAP':
    case 'JSON':
    case 'DATE':
      return {
        ...element,
        converted_type: logicalType(element) as 'LIST' | 'MAP' | 'JSON' | 'DATE',
      }
    default:
      return element
  }
}

const UNITS_PER_SECOND = { MILLIS: 1000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n } as const

/** Far above the scale of any real decimal. */
const MAX_SCALE = 1000

const TEXT_TYPES = ['STRING', 'UTF8', 'ENUM']
/** The supported logical types of byte arrays. */
const BYTE_TYPES = [...TEXT_TYPES, 'JSON', 'UUID', 'FLOAT16', 'DECIMAL', 'NULL']
const UNSUPPORTED = ['BSON', 'INTERVAL', 'GEOMETRY', 'GEOGRAPHY', 'VARIANT']

function converterOf(node: SchemaTree): Convert | undefined {
  const { element, children } = node
  const type = logicalType(element)
  const isBytes = element.type === 'BYTE_ARRAY' || element.type === 'FIXED_LEN_BYTE_ARRAY'
  if (UNSUPPORTED.includes(type ?? '') || (isBytes && !BYTE_TYPES.includes(type ?? ''))) {
    refuseType(node)
  }
  if (children.length > 0) return groupConverter(node, type)
  const convert = leafConverter(element, type)
  return convert === undefined ? undefined : inLists(convert)
}

function leafConverter(element: SchemaElement, type: string | undefined): Convert | undefined {
  const logical = element.logical_type
  switch (type) {
    case 'DECIMAL': {
      const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0)
      if (Math.abs(scale) > MAX_SCALE)
        throw new Error(`a decimal has the scale ${scale}; the maximum is ${MAX_SCALE}`)
      return (value) =>
        decimalText(
          value instanceof Uint8Array ? bigEndianInteger(value) : BigInt(value as number | bigint),
          scale,
        )
    }
    case 'TIME':
    case 'TIME_MILLIS':
    case 'TIME_MICROS': {
      const unit = logical?.type === 'TIME' ? logical.unit : type.slice('TIME_'.length)
      const unitsPerSecond = UNITS_PER_SECOND[unit as keyof typeof UNITS_PER_SECOND]
      return (value) => timeOfDayText(BigInt(value as number | bigint), unitsPerSecond)
    }
    default:
      return undefined
  }
}

function groupConverter(node: SchemaTree, type: string | undefined): Convert | undefined {
  const { children } = node
  const [only] = children
  if (type === 'LIST' && only !== undefined && children.length === 1) {
    // The legacy form of a list has no group around its elements.
    const items = only.children.length === 1 ? only.children[0] : only
    const convert = converterOf(items ?? only)
    return convert === undefined ? undefined : inLists(convert)
  }
  if (type === 'MAP' && only?.children.length === 2) {
    const [key, value] = only.children as [SchemaTree, SchemaTree]
    if (!TEXT_TYPES.includes(logicalType(key.element) ?? '')) refuseType(node)
    const convert = converterOf(value)
    return convert === undefined ? undefined : inLists((map) => convertMembers(map, () => convert))
  }
  const fields = new Map(children.map((child) => [child.element.name, converterOf(child)]))
  const lists = children.filter(isRepeated).map((child) => child.element.name)
  return inLists((struct) =>
    convertMembers(withLists(struct as object, lists), (name) => fields.get(name)),
  )
}

function withLists(struct: object, lists: readonly string[]): object {
  const empty = lists.filter((name) => (ownValue(struct, name) ?? null) === null)
  return empty.length === 0
    ? struct
    : { ...struct, ...Object.fromEntries(empty.map((name) => [name, []])) }
}

/** Omits members without a value. */
function convertMembers(
  value: unknown,
  converterFor: (name: string) => Convert | undefined,
): unknown {
  const members: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value as object)) {
    if (member === undefined || member === null) continue
    setCell(members, name, converterFor(name)?.(member) ?? member)
  }
  return members
}

/** Lifts a converter to nested lists. */
function inLists(convert: Convert): Convert {
  const convertAll: Convert = (value) => {
    if (value === undefined || value === null) return null
    return Array.isArray(value) ? value.map(convertAll) : convert(value)
  }
  return convertAll
}

function refuseType({ path, element }: SchemaTree): never {
  const type = [element.type, logicalType(element)].filter((part) => part !== undefined).join(' ')
  const [column = ''] = path
  throw new UnreadableFile(
    `column ${path.join('.')} has the Parquet type ${type}, which no property type matches`,
    { remedy: { do: 'skipColumn', column, canBeText: isBare(element) } },
  )
}
