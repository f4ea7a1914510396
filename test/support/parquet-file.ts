/** Writes small Parquet files: one row group, plain pages without compression. */
import type { SchemaElement } from 'hyparquet'
import { binary, bool, field, i32, i64, list, struct, type ThriftField } from './thrift-compact.ts'

export interface ParquetTestColumn {
  readonly name: string
  readonly type: NonNullable<SchemaElement['type']>
  readonly values: readonly (number | bigint | boolean | string | Uint8Array | null)[]
  readonly typeLength?: number
  readonly convertedType?: number
  readonly scale?: number
  /** The member of the LogicalType union. */
  readonly logicalType?: ThriftField
  /** Whether the values are dictionary-encoded. */
  readonly dictionary?: boolean
  /** The number of rows per page (default: all). */
  readonly pageRows?: number
  /** Whether to write data pages of version 2, which store levels separately. */
  readonly secondKind?: boolean
  /** With 2, the column is a list without groups around its values. */
  readonly repetition?: 2
  /** The compression that the metadata names; only pages without values can have one. */
  readonly codec?: number
  /** The groups around the column; a list has two. */
  readonly groups?: readonly ParquetTestGroup[]
  /** For columns in groups, the definition and repetition levels. */
  readonly levels?: {
    readonly definition: readonly number[]
    readonly repetition: readonly number[]
  }
}

interface ParquetTestGroup {
  readonly name: string
  readonly repetition: 0 | 1 | 2
  readonly convertedType?: number
}

/** Deliberate mistakes in the file. */
export interface ParquetTestDamage {
  /** The number of values in the header of each data page. */
  readonly claimedValues?: number
}

const TYPES = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
]
const MAGIC = Buffer.from('PAR1')
const PLAIN = 0
const RLE = 3
const RLE_DICTIONARY = 8

export function parquetFile(
  columns: readonly ParquetTestColumn[],
  damage: ParquetTestDamage = {},
): Buffer {
  const parts: Buffer[] = [MAGIC]
  let offset = MAGIC.length
  const chunks = columns.map((column) => {
    const pages = pagesOf(column, damage)
    const start = offset
    const bytes = Buffer.concat(pages)
    parts.push(bytes)
    offset += bytes.length
    const dataStart = column.dictionary === true ? start + (pages[0] as Buffer).length : start
    return columnChunk(column, bytes.length, start, dataStart)
  })
  const rows = BigInt(rowCount(columns[0] as ParquetTestColumn))
  const group = struct([
    field(1, list('struct', chunks)),
    field(2, i64(BigInt(offset))),
    field(3, i64(rows)),
  ])
  const footer = struct([
    field(1, i32(1)),
    field(2, list('struct', schemaOf(columns))),
    field(3, i64(rows)),
    field(4, list('struct', [group])),
  ]).bytes
  const length = Buffer.alloc(4)
  length.writeUInt32LE(footer.length)
  return Buffer.concat([...parts, footer, length, MAGIC])
}

function isRepeated({ groups = [], repetition: own }: ParquetTestColumn): boolean {
  return own === 2 || groups.some(({ repetition }) => repetition === 2)
}

function rowCount({ values, levels }: ParquetTestColumn): number {
  return levels?.repetition.filter((level) => level === 0).length ?? values.length
}

function schemaOf(columns: readonly ParquetTestColumn[]) {
  const root = struct([field(4, binary('root')), field(5, i32(columns.length))])
  return [
    root,
    ...columns.flatMap((column) => [
      ...(column.groups ?? []).map(({ name, repetition, convertedType }) =>
        struct([
          field(3, i32(repetition)),
          field(4, binary(name)),
          field(5, i32(1)),
          ...(convertedType === undefined ? [] : [field(6, i32(convertedType))]),
        ]),
      ),
      struct([
        field(1, i32(TYPES.indexOf(column.type))),
        ...(column.typeLength === undefined ? [] : [field(2, i32(column.typeLength))]),
        field(3, i32(column.repetition ?? 1)),
        field(4, binary(column.name)),
        ...(column.convertedType === undefined ? [] : [field(6, i32(column.convertedType))]),
        ...(column.scale === undefined ? [] : [field(7, i32(column.scale)), field(8, i32(18))]),
        ...(column.logicalType === undefined ? [] : [field(10, struct([column.logicalType]))]),
      ]),
    ]),
  ]
}

function columnChunk(column: ParquetTestColumn, bytes: number, start: number, dataStart: number) {
  const path = [...(column.groups ?? []).map(({ name }) => name), column.name]
  const metadata = struct([
    field(1, i32(TYPES.indexOf(column.type))),
    field(
      2,
      list('i32', [PLAIN, RLE, ...(column.dictionary === true ? [RLE_DICTIONARY] : [])].map(i32)),
    ),
    field(
      3,
      list(
        'binary',
        path.map((name) => binary(name)),
      ),
    ),
    field(4, i32(column.codec ?? 0)),
    field(5, i64(BigInt(column.levels?.definition.length ?? column.values.length))),
    field(6, i64(BigInt(bytes))),
    field(7, i64(BigInt(bytes))),
    field(9, i64(BigInt(dataStart))),
    ...(dataStart === start ? [] : [field(11, i64(BigInt(start)))]),
  ])
  return struct([field(2, i64(BigInt(start))), field(3, metadata)])
}

function pagesOf(column: ParquetTestColumn, damage: ParquetTestDamage): Buffer[] {
  const { values, pageRows = Math.max(1, values.length) } = column
  const distinct = [...new Set(values.filter((value) => value !== null))]
  const pages: Buffer[] = []
  for (let start = 0; start === 0 || start < values.length; start += pageRows) {
    pages.push(dataPage(column, values.slice(start, start + pageRows), distinct, damage))
  }
  return column.dictionary === true ? [dictionaryPage(column, distinct), ...pages] : pages
}

function dictionaryPage(column: ParquetTestColumn, distinct: readonly unknown[]): Buffer {
  const dictionary = plain(column, distinct)
  const header = struct([
    field(1, i32(2)),
    field(2, i32(dictionary.length)),
    field(3, i32(dictionary.length)),
    field(7, struct([field(1, i32(distinct.length)), field(2, i32(PLAIN))])),
  ])
  return Buffer.concat([header.bytes, dictionary])
}

function dataPage(
  column: ParquetTestColumn,
  values: readonly unknown[],
  distinct: readonly unknown[],
  { claimedValues }: ParquetTestDamage,
): Buffer {
  const present = values.filter((value) => value !== null)
  const definition = column.levels?.definition ?? values.map((value) => (value === null ? 0 : 1))
  const repetition = isRepeated(column) ? (column.levels?.repetition ?? []) : undefined
  const numbers = present.map((value) => distinct.findIndex((other) => Object.is(other, value)))
  const body =
    column.dictionary === true
      ? Buffer.concat([Buffer.from([8]), runs(numbers)])
      : plain(column, present)
  const encoding = column.dictionary === true ? RLE_DICTIONARY : PLAIN
  const count = claimedValues ?? definition.length
  if (column.secondKind === true) {
    const levels = runs(definition)
    const own = struct([
      field(1, i32(count)),
      field(2, i32(count - present.length)),
      field(3, i32(count)),
      field(4, i32(encoding)),
      field(5, i32(levels.length)),
      field(6, i32(0)),
      field(7, bool(column.codec !== undefined)),
    ])
    return page(3, field(8, own), Buffer.concat([levels, body]))
  }
  const levels = [
    ...(repetition === undefined ? [] : [levelBytes(repetition)]),
    levelBytes(definition),
  ]
  const own = struct([
    field(1, i32(count)),
    field(2, i32(encoding)),
    field(3, i32(RLE)),
    field(4, i32(RLE)),
  ])
  return page(0, field(5, own), Buffer.concat([...levels, body]))
}

function page(type: number, own: ThriftField, data: Buffer): Buffer {
  const length = i32(data.length)
  const header = struct([field(1, i32(type)), field(2, length), field(3, length), own])
  return Buffer.concat([header.bytes, data])
}

function levelBytes(levels: readonly number[]): Buffer {
  const encoded = runs(levels)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(encoded.length)
  return Buffer.concat([length, encoded])
}

/** Encodes numbers below 128 as runs of length one. */
function runs(numbers: readonly number[]): Buffer {
  return Buffer.from(numbers.flatMap((number) => [1 << 1, number]))
}

function plain({ type }: ParquetTestColumn, values: readonly unknown[]): Buffer {
  if (type === 'BOOLEAN') {
    const bits = Buffer.alloc(Math.ceil(values.length / 8))
    for (const [index, value] of values.entries()) {
      if (value === true) bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7))
    }
    return bits
  }
  return Buffer.concat(values.map((value) => plainValue(type, value)))
}

function plainValue(type: ParquetTestColumn['type'], value: unknown): Buffer {
  const number = Buffer.alloc(8)
  switch (type) {
    case 'INT32':
      number.writeInt32LE(value as number)
      return number.subarray(0, 4)
    case 'INT64':
      number.writeBigInt64LE(value as bigint)
      return number
    case 'FLOAT':
      number.writeFloatLE(value as number)
      return number.subarray(0, 4)
    case 'DOUBLE':
      number.writeDoubleLE(value as number)
      return number
    case 'BYTE_ARRAY': {
      const bytes = Buffer.from(value as string)
      number.writeUInt32LE(bytes.length)
      return Buffer.concat([number.subarray(0, 4), bytes])
    }
    default:
      return Buffer.from(value as Uint8Array)
  }
}

/** The members of the LogicalType union. */
export const LOGICAL = {
  string: field(1, struct([])),
  enumeration: field(4, struct([])),
  decimal: (precision: number, scale: number) =>
    field(5, struct([field(1, i32(scale)), field(2, i32(precision))])),
  date: field(6, struct([])),
  time: (unit: 1 | 2 | 3) =>
    field(7, struct([field(1, bool(true)), field(2, struct([field(unit, struct([]))]))])),
  timestamp: (unit: 1 | 2 | 3) =>
    field(8, struct([field(1, bool(true)), field(2, struct([field(unit, struct([]))]))])),
  json: field(12, struct([])),
  bson: field(13, struct([])),
  uuid: field(14, struct([])),
}
