/** Writes objects as a Parquet file, with Snappy compression, in row groups of bounded size. */

import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { converterOf } from '../column-values.ts'
import { ownValue } from '../row.ts'
import {
  type ColumnType,
  type DecimalDigits,
  parseRecords,
  type TableColumn,
  type TableFile,
  type TableObject,
  type TableSpec,
  type WriteBytes,
} from '../table-file.ts'
import { fileMetadata } from '../table-metadata.ts'

/** The rows of a group, which is in memory until it is complete. Encoding it takes some 50 ms. */
const GROUP_ROWS = 20_000
/** The number of values in a group, which bounds it for types with many properties. */
const GROUP_VALUES = 200_000

export function openParquet({ columns }: TableSpec, write: WriteBytes): TableFile {
  const written = columns.map(writtenColumn)
  const names = new Set(columns.map(({ name }) => name))
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(written),
    kvMetadata: [...fileMetadata(columns)].map(([key, value]) => ({ key, value })),
  })
  const groupRows = Math.max(1, Math.min(GROUP_ROWS, Math.floor(GROUP_VALUES / columns.length)))
  /** The values of the current row group, one array per column. */
  let values: unknown[][] = columns.map(() => [])

  function addObject(object: TableObject): void {
    for (const [index, { name, convert }] of written.entries()) {
      const value = ownValue(object, name) ?? null
      values[index]?.push(value === null ? null : convert(value))
    }
  }

  async function flush(): Promise<void> {
    const piece = bytes.getBytes()
    if (piece.length > 0) await write(piece)
    bytes.index = 0
  }

  async function endGroup(): Promise<void> {
    const rows = values[0]?.length ?? 0
    if (rows === 0) return
    const columnData = written.map(({ name }, index) => {
      return { name, data: values[index] ?? [], offsetIndex: false }
    })
    values = columns.map(() => [])
    await writer.write({ columnData, rowGroupSize: rows })
    await flush()
  }

  return {
    async add(records) {
      for (const object of parseRecords(records, names)) {
        addObject(object)
        if ((values[0]?.length ?? 0) >= groupRows) await endGroup()
      }
    },
    async finish() {
      await endGroup()
      await writer.finish()
      await flush()
    },
  }
}

/** A column, its part of the schema, and how its JSON values are converted. */
interface WrittenColumn {
  readonly name: string
  readonly elements: readonly SchemaElement[]
  readonly convert: (value: unknown) => unknown
}

function writtenColumn({ name, type, isRequired }: TableColumn): WrittenColumn {
  const repetition = isRequired ? 'REQUIRED' : 'OPTIONAL'
  return { name, elements: elementsOf(name, type, repetition), convert: converterOf(type) }
}

/** Returns the schema of a file with these columns. */
function schemaOf(columns: readonly WrittenColumn[]): SchemaElement[] {
  const root: SchemaElement = { name: 'schema', num_children: columns.length }
  return [root, ...columns.flatMap(({ elements }) => elements)]
}

type Repetition = 'REQUIRED' | 'OPTIONAL' | 'REPEATED'

function elementsOf(name: string, type: ColumnType, repetition: Repetition): SchemaElement[] {
  if (type.kind === 'array') {
    return [
      { name, repetition_type: repetition, num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementsOf('element', type.items, 'REQUIRED'),
    ]
  }
  if (type.kind === 'struct') {
    return [
      { name, repetition_type: repetition, num_children: type.fields.size },
      ...[...type.fields].flatMap(([member, field]) => elementsOf(member, field, 'OPTIONAL')),
    ]
  }
  const { digits } = type
  const scalar = digits === undefined ? SCALARS[type.type] : decimalElement(digits)
  return [{ name, repetition_type: repetition, ...(scalar ?? TEXT) }]
}

type ScalarElement = Omit<SchemaElement, 'name'>

/** Returns the smallest type with room for the digits. */
function decimalElement({ precision, scale }: DecimalDigits): ScalarElement {
  const logical = { converted_type: 'DECIMAL', precision, scale } as const
  if (precision <= 9) return { type: 'INT32', ...logical }
  if (precision <= 18) return { type: 'INT64', ...logical }
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, ...logical }
}

const TEXT: ScalarElement = { type: 'BYTE_ARRAY', converted_type: 'UTF8' }
const JSON_TEXT: ScalarElement = { type: 'BYTE_ARRAY', converted_type: 'JSON' }

const SCALARS: Readonly<Record<string, ScalarElement>> = {
  string: TEXT,
  marking: TEXT,
  boolean: { type: 'BOOLEAN' },
  byte: { type: 'INT32', converted_type: 'INT_8' },
  short: { type: 'INT32', converted_type: 'INT_16' },
  integer: { type: 'INT32' },
  long: { type: 'INT64' },
  float: { type: 'FLOAT' },
  double: { type: 'DOUBLE' },
  // Without digits.
  decimal: TEXT,
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  geopoint: JSON_TEXT,
  geoshape: JSON_TEXT,
  attachment: JSON_TEXT,
}
