/** Writes objects as an Arrow IPC stream, in record batches of bounded size. */
import {
  bool,
  columnFromArray,
  type DataType,
  dateDay,
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
import {
  type ColumnType,
  refuseAddedProperty,
  type TableFile,
  type TableObject,
  type TableSpec,
  TYPES_KEY,
  typesText,
  type WriteBytes,
} from '../table-file.ts'
import { textColumn } from './text-column.ts'

/** The rows of a batch, whose objects are in memory until it is complete. */
const BATCH_ROWS = 10_000
/** The number of values in a batch, which bounds it for types with many properties. */
const BATCH_VALUES = 100_000

/** The message that ends a stream: a continuation marker, and no length. */
const END_BYTES = 8

export function openArrow({ columns }: TableSpec, write: WriteBytes): TableFile {
  const written = columns.map(({ name, type, isRequired }) => ({
    field: field(name, dataType(type, DECLARED), !isRequired),
    builtAs: isText(type) ? undefined : dataType(type, BUILT),
    name,
    convert: converterOf(type, JSON_TEXTS),
  }))
  const names = new Set(columns.map(({ name }) => name))
  const schema = {
    version: Version.V5,
    endianness: Endianness.Little,
    fields: written.map((column) => column.field),
    metadata: new Map([[TYPES_KEY, typesText(columns)]]),
  }
  const encode = (objects: readonly TableObject[]): Uint8Array => {
    const built = written.map(({ name, builtAs, convert }) => {
      const values = objects.map((object) => {
        const value = object[name] ?? null
        return value === null ? null : convert(value)
      })
      return builtAs === undefined
        ? textColumn(values as (string | null)[])
        : columnFromArray(values, builtAs)
    })
    const table = new Table(schema, built)
    // Only null if it writes to a sink.
    return tableToIPC(table, { format: 'stream' }) as Uint8Array
  }
  // Every stream begins with the schema and ends with an end: only what is between is written again.
  const empty = encode([])
  const schemaBytes = empty.length - END_BYTES
  const batchRows = Math.max(1, Math.min(BATCH_ROWS, Math.floor(BATCH_VALUES / columns.length)))
  let isStarted = false
  let waiting: TableObject[] = []

  async function start(): Promise<void> {
    if (!isStarted) await write(empty.subarray(0, schemaBytes))
    isStarted = true
  }

  async function endBatch(): Promise<void> {
    if (waiting.length === 0) return
    const stream = encode(waiting)
    waiting = []
    await write(stream.subarray(schemaBytes, stream.length - END_BYTES))
  }

  return {
    async add(objects) {
      await start()
      for (const object of objects) {
        refuseAddedProperty(object, names)
        waiting.push(object)
        if (waiting.length >= batchRows) await endBatch()
      }
    },
    async finish() {
      await start()
      await endBatch()
      await write(empty.subarray(schemaBytes))
    },
  }
}

/** Values without a type of Arrow are text: exact decimals, and JSON. */
const JSON_TEXTS = {
  geopoint: JSON.stringify,
  geoshape: JSON.stringify,
  attachment: JSON.stringify,
}

/** Returns whether the values of a column are texts. */
function isText(type: ColumnType): boolean {
  return type.kind === 'scalar' && DECLARED[type.type] === undefined
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
  if (type.kind === 'scalar') return (scalars[type.type] ?? utf8)()
  return struct([...type.fields].map(([name, inner]) => field(name, dataType(inner, scalars))))
}
