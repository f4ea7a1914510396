/** Exports to Parquet. The service sends NDJSON, which is counted and resumed like any other export. */

import type { SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { TYPES_KEY } from '../../formats/parquet/parquet-types.ts'
import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import type { ScalarType } from '../../ontology/definition/property-type.ts'
import { readDefinition } from '../import/change-definition.ts'
import { type ExportProgress, type ExportRequest, exportObjects } from './export-objects.ts'

export async function exportParquet(
  client: Endpoints,
  request: Omit<ExportRequest, 'format'>,
  write: (bytes: Uint8Array) => Promise<void>,
  onProgress: (progress: ExportProgress) => void,
): Promise<ExportProgress> {
  const { ontology, objectType, select } = request
  const definition = await readDefinition(client.administration, ontology)
  const type = definition?.objectTypes.find(({ apiName }) => apiName === objectType)
  // The export names what is missing.
  if (type === undefined) {
    const sink = { begin: async () => {}, write: async () => {} }
    return exportObjects(client, { ...request, format: 'ndjson' }, sink)
  }
  let bytes = 0
  const rows = parquetRows(type, select?.split(','), async (piece) => {
    await write(piece)
    bytes += piece.length
  })
  const sink = { begin: async () => {}, write: (piece: Uint8Array) => rows.add(piece) }
  const { objects } = await exportObjects(client, { ...request, format: 'ndjson' }, sink, {
    onProgress: (progress) => onProgress({ ...progress, bytes }),
  })
  await rows.finish()
  return { objects, bytes }
}

/** Limits of a row group, which is in memory until it is complete. */
const GROUP_ROWS = 50_000
const GROUP_BYTES = 8 * 1024 * 1024

const NEWLINE = 0x0a

/** Writes lines of NDJSON as a Parquet file, in row groups of bounded size. */
function parquetRows(
  type: ObjectTypeDefinition,
  select: readonly string[] | undefined,
  write: (bytes: Uint8Array) => Promise<void>,
) {
  const columns = parquetColumnsOf(type, select)
  const names = new Set(columns.map(({ name }) => name))
  const types = columns.map(({ name }) => [name, type.properties[name]?.type])
  const written = new ByteWriter()
  const writer = new ParquetWriter({
    writer: written,
    schema: schemaOf(columns),
    kvMetadata: [{ key: TYPES_KEY, value: JSON.stringify(Object.fromEntries(types)) }],
  })
  /** The values of the current row group, one array per column. */
  let values: unknown[][] = columns.map(() => [])
  let groupBytes = 0
  /** The beginning of a line whose end has not arrived. */
  let partial: Uint8Array[] = []

  function addLine(line: Buffer): void {
    const object = JSON.parse(line.toString('utf8')) as Readonly<Record<string, unknown>>
    const added = Object.keys(object).find((name) => !names.has(name))
    if (added !== undefined) {
      throw new Error(
        `property ${added} was added to the type during the export. Run the command again.`,
      )
    }
    for (const [index, { name, convert }] of columns.entries()) {
      const value = object[name] ?? null
      values[index]?.push(value === null ? null : convert(value))
    }
    groupBytes += line.length
  }

  async function flush(): Promise<void> {
    const bytes = written.getBytes()
    if (bytes.length > 0) await write(bytes)
    written.index = 0
  }

  async function endGroup(): Promise<void> {
    const rows = values[0]?.length ?? 0
    if (rows === 0) return
    const columnData = columns.map(({ name }, index) => {
      return { name, data: values[index] ?? [], offsetIndex: false }
    })
    values = columns.map(() => [])
    groupBytes = 0
    await writer.write({ columnData, rowGroupSize: rows })
    await flush()
  }

  return {
    /** Adds bytes of NDJSON, which may end within a line. */
    async add(bytes: Uint8Array): Promise<void> {
      let start = 0
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
        addLine(Buffer.concat([...partial, bytes.subarray(start, end)]))
        partial = []
        start = end + 1
        const rows = values[0]?.length ?? 0
        if (rows >= GROUP_ROWS || groupBytes >= GROUP_BYTES) await endGroup()
      }
      // Copied, because the caller may reuse its buffer.
      if (start < bytes.length) partial.push(Buffer.from(bytes.subarray(start)))
    },
    async finish(): Promise<void> {
      if (partial.length > 0) addLine(Buffer.concat(partial))
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

/** Returns the columns of a type; the primary key has a value in every object. */
function parquetColumnsOf(
  { properties, primaryKey }: ObjectTypeDefinition,
  select: readonly string[] | undefined,
): WrittenColumn[] {
  return Object.entries(properties)
    .filter(([name]) => select === undefined || name === primaryKey || select.includes(name))
    .map(([name, property]) => ({
      name,
      elements: elementsOf(name, property, name === primaryKey ? 'REQUIRED' : 'OPTIONAL'),
      convert: converterOf(property),
    }))
}

/** Returns the schema of a file with these columns. */
function schemaOf(columns: readonly WrittenColumn[]): SchemaElement[] {
  const root: SchemaElement = { name: 'schema', num_children: columns.length }
  return [root, ...columns.flatMap(({ elements }) => elements)]
}

type Repetition = 'REQUIRED' | 'OPTIONAL' | 'REPEATED'

function elementsOf(
  name: string,
  { type, items, fields = {} }: PropertyDefinition,
  repetition: Repetition,
): SchemaElement[] {
  if (type === 'array' && items !== undefined) {
    return [
      { name, repetition_type: repetition, num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementsOf('element', items, 'REQUIRED'),
    ]
  }
  if (type === 'struct') {
    const members = Object.entries(fields)
    return [
      { name, repetition_type: repetition, num_children: members.length },
      ...members.flatMap(([member, field]) => elementsOf(member, field, 'OPTIONAL')),
    ]
  }
  return [{ name, repetition_type: repetition, ...SCALARS[type as ScalarType].element }]
}

interface ScalarColumn {
  readonly element: Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>
  readonly convert?: (value: unknown) => unknown
}

const TEXT: ScalarColumn = { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' } }
const JSON_TEXT: ScalarColumn = { element: { type: 'BYTE_ARRAY', converted_type: 'JSON' } }
const DAY_MS = 86_400_000

const SCALARS: Readonly<Record<ScalarType, ScalarColumn>> = {
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

function converterOf({
  type,
  items,
  fields = {},
}: PropertyDefinition): (value: unknown) => unknown {
  if (type === 'array' && items !== undefined) {
    const convert = converterOf(items)
    return (value) => (value as readonly unknown[]).map(convert)
  }
  if (type === 'struct') {
    const members = Object.entries(fields).map(
      ([name, field]) => [name, converterOf(field)] as const,
    )
    return (value) => {
      const struct = value as Readonly<Record<string, unknown>>
      return Object.fromEntries(
        members
          .filter(([name]) => (struct[name] ?? null) !== null)
          .map(([name, convert]) => [name, convert(struct[name])]),
      )
    }
  }
  return SCALARS[type as ScalarType].convert ?? ((value) => value)
}
