/**
 * Exports to Parquet, Arrow and Excel. The service sends NDJSON, which is counted and resumed like any other
 * export, and the file is written here.
 */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { ExportFormat, LineFormat } from '../../contract/export-formats.ts'
import { openArrow } from '../../formats/arrow/write-arrow.ts'
import {
  hasDecimals,
  readDecimalsLine,
  textDecimals,
  withDigits,
} from '../../formats/decimal-digits.ts'
import { openParquet } from '../../formats/parquet/write-parquet.ts'
import type { ColumnType, TableFile, TableSpec } from '../../formats/table-file.ts'
import { TEXT_DECIMALS_NOTE } from '../../formats/table-metadata.ts'
import { openXlsx } from '../../formats/xlsx/write-xlsx.ts'
import type {
  ObjectTypeDefinition,
  PropertyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { readDefinition } from '../import/change-definition.ts'
import { type ExportProgress, type ExportRequest, exportObjects } from './export-objects.ts'

type FileFormat = Exclude<ExportFormat, LineFormat>

const OPEN = { parquet: openParquet, arrow: openArrow, xlsx: openXlsx } as const

export interface TableFileRequest extends Omit<ExportRequest, 'format'> {
  readonly format: FileFormat
}

export interface TableFileOptions {
  readonly onProgress: (progress: ExportProgress) => void
  /** Called with what differs from what a reader of the file expects. */
  readonly onNote: (note: string) => void
}

export async function exportTableFile(
  client: Endpoints,
  { format, ...request }: TableFileRequest,
  write: (bytes: Uint8Array) => Promise<void>,
  { onProgress, onNote }: TableFileOptions,
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
  const open = (spec: TableSpec) =>
    OPEN[format](spec, async (piece) => {
      await write(piece)
      bytes += piece.length
    })
  const table = tableOf(type, select?.split(','))
  // Excel has a scale for each cell.
  const decimalDigits =
    format !== 'xlsx' && table.columns.some((column) => hasDecimals(column.type))
  const openWithDigits = (line: string) => {
    const columns = withDigits(table.columns, readDecimalsLine(line))
    for (const path of textDecimals(columns)) onNote(`${path} is ${TEXT_DECIMALS_NOTE}`)
    return open({ ...table, columns })
  }
  const lines = objectLines(decimalDigits ? openWithDigits : open(table))
  const sink = { begin: async () => {}, write: (piece: Uint8Array) => lines.add(piece) }
  const ndjson = { ...request, format: 'ndjson', decimalDigits } as const
  const { objects } = await exportObjects(client, ndjson, sink, {
    onProgress: (progress) => onProgress({ ...progress, bytes }),
  })
  await lines.finish()
  return { objects, bytes }
}

const NEWLINE = 0x0a

/** Adds lines of NDJSON to a file, which the first line opens if it is not open. */
function objectLines(opened: TableFile | ((line: string) => TableFile)) {
  /** The beginning of a line whose end has not arrived. */
  let partial: Uint8Array[] = []
  let file = typeof opened === 'function' ? undefined : opened
  const addLines = async (lines: Buffer) => {
    let objects = lines
    if (typeof opened === 'function' && file === undefined) {
      const end = lines.indexOf(NEWLINE)
      file = opened(lines.toString('utf8', 0, end === -1 ? lines.length : end))
      objects = lines.subarray(end === -1 ? lines.length : end + 1)
    }
    if (objects.length > 0) await file?.add(objects)
  }
  return {
    /** Adds bytes of NDJSON, which may end within a line. */
    async add(bytes: Uint8Array): Promise<void> {
      const end = bytes.lastIndexOf(NEWLINE)
      if (end !== -1) {
        const whole = Buffer.concat([...partial, bytes.subarray(0, end)])
        partial = []
        await addLines(whole)
      }
      // Copied, because the caller may reuse its buffer.
      if (end + 1 < bytes.length) partial.push(Buffer.from(bytes.subarray(end + 1)))
    },
    async finish(): Promise<void> {
      await addLines(Buffer.concat(partial))
      await file?.finish()
    },
  }
}

/** Returns the columns of a type; the primary key has a value in every object. */
function tableOf(
  { apiName, properties, primaryKey }: ObjectTypeDefinition,
  select: readonly string[] | undefined,
): TableSpec {
  const columns = Object.entries(properties)
    .filter(([name]) => select === undefined || name === primaryKey || select.includes(name))
    .map(([name, property]) => {
      return { name, type: columnType(property), isRequired: name === primaryKey }
    })
  return { name: apiName, columns }
}

function columnType({ type, items, fields = {} }: PropertyDefinition): ColumnType {
  if (type === 'array' && items !== undefined) return { kind: 'array', items: columnType(items) }
  if (type !== 'struct') return { kind: 'scalar', type }
  const members = Object.entries(fields).map(([name, field]) => [name, columnType(field)] as const)
  return { kind: 'struct', fields: new Map(members) }
}
