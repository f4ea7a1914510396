/** Writes objects as a Parquet file, with Snappy compression, in row groups of bounded size. */

import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import {
  type ColumnType,
  refuseAddedProperty,
  type TableColumn,
  type TableFile,
  type TableObject,
  type TableSpec,
  type WriteBytes,
} from '../table-file.ts'
import { TYPES_KEY } from './parquet-types.ts'

/** The rows of a group, which is in memory until it is complete. Encoding it takes some 50 ms. */
const GROUP_ROWS = 20_000
/** The number of values in a group, which bounds it for types with many properties. */
const GROUP_VALUES = 200_000

export function openParquet({ columns }: TableSpec, write: WriteBytes): TableFile {
  const written = columns.map(writtenColumn)
  const names = new Set(columns.map(({ name }) => name))
  const types = columns.map(({ name, type }) => [
    name,
    type.kind === 'scalar' ? type.type : type.kind,
  ])
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(written),
    kvMetadata: [{ key: TYPES_KEY, value: JSON.stringify(Object.fromEntries(types)) }],
  })
  const groupRows = Math.max(1, Math.min(GROUP_ROWS, Math.floor(GROUP_VALUES / columns.length)))
  /** The values of the current row group, one array per column. */
  let values: unknown[][] = columns.map(() => [])

  function addObject(object: TableObject): void {
    refuseAddedProperty(object, names)
    for (const [index, { name, convert }] of written.entries()) {
      const value = object[name] ?? null
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
    async add(objects) {
      for (const object of objects) {
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
  return [{ name, repetition_type: repetition, ...scalarOf(type.type).element }]
}

interface ScalarColumn {
  readonly element: Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>
  readonly convert?: (value: unknown) => unknown
}

const TEXT: ScalarColumn = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' } }
const JSON_TEXT: ScalarColumn = { element: { type: 'BYTE_ARRAY', converted_type: 'JSON' } }
const DAY_MS = 86_400_000

function scalarOf(type: string): ScalarColumn {
  return SCALARS[type] ?? TEXT
}

const SCALARS: Readonly<Record<string, ScalarColumn>> = {
  string: TEXT,
  marking: TEXT,
  boolean: { element: { type: 'BOOLEAN' } },
  byte: { element: { type: 'INT32', converted_type: 'INT_8' } },
  short: { element: { type: 'INT32', converted_type: 'INT_16' } },
  integer: { element: { type: 'INT32' } },
  long: { element: { type: 'INT64' }, convert: (value) => BigInt(value as string) },
  // The special numbers are texts in JSON.
  float: { element: { type: 'FLOAT' }, convert: Number },
  double: { element: { type: 'DOUBLE' }, convert: Number },
  // Parquet decimals of one column have one scale; these have any.
  decimal: TEXT,
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    convert: (value) => Date.parse(`${value}T00:00:00Z`) / DAY_MS,
  },
  timestamp: {
    element: {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    convert: (value) => microsecondsOf(String(value)),
  },
  geopoint: JSON_TEXT,
  geoshape: JSON_TEXT,
  attachment: JSON_TEXT,
}

/** Canonical timestamps have up to six digits of a second. */
const TIMESTAMP = /^(.{19})(?:\.(\d{1,6}))?Z$/

function microsecondsOf(text: string): bigint {
  const [, seconds, fraction = ''] = TIMESTAMP.exec(text) ?? []
  if (seconds === undefined) throw new Error(`${text} is not a timestamp`)
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

function converterOf(type: ColumnType): (value: unknown) => unknown {
  if (type.kind === 'array') {
    const convert = converterOf(type.items)
    return (value) => (value as readonly unknown[]).map(convert)
  }
  if (type.kind === 'struct') {
    const members = [...type.fields].map(([name, field]) => [name, converterOf(field)] as const)
    return (value) => {
      const struct = value as TableObject
      return Object.fromEntries(
        members
          .filter(([name]) => (struct[name] ?? null) !== null)
          .map(([name, convert]) => [name, convert(struct[name])]),
      )
    }
  }
  return scalarOf(type.type).convert ?? ((value) => value)
}
