/**
 * Exports to Parquet, Arrow and Excel. The service sends NDJSON, which is counted and resumed like any other
 * export, and the file is written here.
 */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { ExportFormat, LineFormat } from '../../contract/export-formats.ts'
import { openArrow } from '../../formats/arrow/write-arrow.ts'
import { openParquet } from '../../formats/parquet/write-parquet.ts'
import type { ColumnType, TableFile, TableSpec } from '../../formats/table-file.ts'
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

export async function exportTableFile(
  client: Endpoints,
  { format, ...request }: TableFileRequest,
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
  const file = OPEN[format](tableOf(type, select?.split(',')), async (piece) => {
    await write(piece)
    bytes += piece.length
  })
  const lines = objectLines(file)
  const sink = { begin: async () => {}, write: (piece: Uint8Array) => lines.add(piece) }
  const { objects } = await exportObjects(client, { ...request, format: 'ndjson' }, sink, {
    onProgress: (progress) => onProgress({ ...progress, bytes }),
  })
  await lines.finish()
  return { objects, bytes }
}

const NEWLINE = 0x0a

/** Adds lines of NDJSON to a file. */
function objectLines(file: TableFile) {
  /** The beginning of a line whose end has not arrived. */
  let partial: Uint8Array[] = []
  const addLines = async (lines: Uint8Array) => {
    if (lines.length > 0) await file.add(lines)
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
      await file.finish()
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
