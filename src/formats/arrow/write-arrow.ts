/** Writes objects as an Arrow IPC stream, in record batches of bounded size. */
import {
  bool,
  type DataType,
  dateDay,
  decimal128,
  Endianness,
  field,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  list,
  struct,
  Table,
  TimeUnit,
  tableToIPC,
  timestamp,
  utf8,
  Version,
} from '@uwdata/flechette'
import { converterOf } from '../column-values.ts'
import type { ColumnType, FileInPieces, TableSpec, WriteBytes } from '../table-file.ts'
import { fileMetadata } from '../table-metadata.ts'
import { RecordScanner } from './scan-records.ts'
import { decimalReader, readDate, readTimestamp } from './scan-values.ts'
import {
  BooleanColumn,
  IntegerColumn,
  NestedColumn,
  NumberColumn,
  TextColumn,
  type ValueColumn,
} from './value-columns.ts'

/** The rows of a batch, which is in memory until it is complete. */
const BATCH_ROWS = 10_000
/** The number of values in a batch, which bounds it for types with many properties. */
const BATCH_VALUES = 100_000

/** The bytes of records that a batch has, and the last of them at most in addition. */
const BATCH_BYTES = 4 * 1024 * 1024

/** The message that ends a stream: a continuation marker, and no length. */
const END_BYTES = 8

interface ArrowOptions {
  /** Whether the schema, with which a stream begins, is written already. */
  readonly isBegun?: boolean
}

export function openArrow(
  { columns }: TableSpec,
  write: WriteBytes,
  { isBegun = false }: ArrowOptions = {},
): FileInPieces {
  const batchRows = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_VALUES / columns.length)))
  const written = columns.map(({ name, type }) => ({ name, values: valueColumn(type, batchRows) }))
  const schema = {
    version: Version.V5,
    endianness: Endianness.Little,
    fields: columns.map(({ name, type, isRequired }) =>
      field(name, dataType(type, DECLARED), !isRequired),
    ),
    metadata: new Map(fileMetadata(columns)),
  }
  /** The rows of the batch, and the bytes of their records. */
  let [rows, recordBytes] = [0, 0]
  const encode = (): Uint8Array => {
    const table = new Table(
      schema,
      written.map(({ values }) => values.take(rows)),
    )
    // Only null if it writes to a sink.
    return tableToIPC(table, { format: 'stream' }) as Uint8Array
  }
  // Every stream begins with the schema and ends with an end: only what is between is written again.
  const empty = encode()
  const schemaBytes = empty.length - END_BYTES
  const scanner = new RecordScanner(written)
  let isStarted = isBegun

  async function start(): Promise<void> {
    if (!isStarted) await write(empty.subarray(0, schemaBytes))
    isStarted = true
  }

  async function endBatch(): Promise<void> {
    if (rows === 0) return
    const stream = encode()
    rows = 0
    recordBytes = 0
    await write(stream.subarray(schemaBytes, stream.length - END_BYTES))
  }

  return {
    async add(records) {
      await start()
      scanner.start(records)
      for (;;) {
        const bytes = scanner.next(rows)
        if (bytes === 0) break
        rows += 1
        recordBytes += bytes
        if (rows === batchRows || recordBytes >= BATCH_BYTES) await endBatch()
      }
    },
    endPiece: endBatch,
    async finish() {
      await start()
      await endBatch()
      await write(empty.subarray(schemaBytes))
    },
  }
}

/** Returns the column of a type, with room for the rows of a batch. */
function valueColumn(type: ColumnType, rows: number): ValueColumn {
  const built = dataType(type, BUILT)
  if (type.kind !== 'scalar') return new NestedColumn(built, converterOf(type, JSON_TEXTS))
  if (type.type === 'boolean') return new BooleanColumn(built, rows)
  if (type.digits) return new IntegerColumn(built, rows, decimalReader(type.digits), 2)
  if (type.type === 'long') return new IntegerColumn(built, rows)
  if (type.type === 'timestamp') return new IntegerColumn(built, rows, readTimestamp)
  if (type.type === 'date') return new NumberColumn(built, new Int32Array(rows), readDate)
  const Numbers = NUMBERS[type.type]
  if (Numbers !== undefined) return new NumberColumn(built, new Numbers(rows))
  return new TextColumn(built, rows, type.type in JSON_TEXTS)
}

const NUMBERS: Readonly<Record<string, NumberArray>> = {
  byte: Int8Array,
  short: Int16Array,
  integer: Int32Array,
  float: Float32Array,
  double: Float64Array,
}

type NumberArray = new (
  length: number,
) => Int8Array | Int16Array | Int32Array | Float32Array | Float64Array

/** Values without a type of Arrow are text. */
const JSON_TEXTS: Readonly<Record<string, (value: unknown) => string>> = {
  geopoint: JSON.stringify,
  geoshape: JSON.stringify,
  attachment: JSON.stringify,
}

type ScalarTypes = Readonly<Record<string, () => DataType>>

const DECLARED: ScalarTypes = {
  boolean: bool,
  byte: int8,
  short: int16,
  integer: int32,
  long: int64,
  float: float32,
  double: float64,
  date: dateDay,
  timestamp: () => timestamp(TimeUnit.MICROSECOND, 'UTC'),
}

/** The numbers that dates and timestamps are: the library would convert them from milliseconds. */
const BUILT: ScalarTypes = { ...DECLARED, date: int32, timestamp: int64 }

function dataType(type: ColumnType, scalars: ScalarTypes): DataType {
  if (type.kind === 'array') return list(field('item', dataType(type.items, scalars), false))
  if (type.kind === 'scalar') {
    const { digits } = type
    return digits ? decimal128(digits.precision, digits.scale) : (scalars[type.type] ?? utf8)()
  }
  return struct([...type.fields].map(([name, inner]) => field(name, dataType(inner, scalars))))
}
