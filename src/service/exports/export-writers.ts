/** Writes exports: as lines, which can be resumed, or as a file with a table. */
import { EXPORT_TYPES, type ExportFormat, type LineFormat } from '../../contract/export-formats.ts'
import { openArrow } from '../../formats/arrow/write-arrow.ts'
import { csvLine } from '../../formats/csv/csv-text.ts'
import { exportEndLine, exportFailureLine } from '../../formats/export-end.ts'
import { openParquet } from '../../formats/parquet/write-parquet.ts'
import type { TableFile, TableSpec, WriteBytes } from '../../formats/table-file.ts'
import { openXlsx } from '../../formats/xlsx/write-xlsx.ts'

type Piece = Uint8Array | string

/** Writes an export format. */
export interface ExportWriter {
  readonly contentType: string
  /** The end of the names of files. */
  readonly extension: ExportFormat
  /** Absent if the objects are not lines: such an export cannot be resumed, and has no end line. */
  readonly endLines?: EndLines
  /** The bytes that it holds beside the records. */
  readonly heldBytes: number
  readonly open: (spec: TableSpec) => ExportBody
}

interface EndLines {
  readonly failure: (errorBody: string) => string
  readonly end: (count: number, version: number) => string
}

/** One export. Its parts follow each other. */
interface ExportBody {
  /** Returns what stands before the first object. */
  readonly head: () => Piece
  /** Converts records of the store: one JSON object per line. */
  readonly records: (records: Uint8Array) => Piece | Promise<Piece>
  /** Returns what stands after the last object. */
  readonly finish: () => Piece | Promise<Piece>
}

const NOTHING = () => ''

export const EXPORT_WRITERS: Readonly<Record<ExportFormat, ExportWriter>> = {
  ndjson: {
    ...lineFormat('ndjson'),
    open: () => ({
      head: NOTHING,
      records: (records) => Buffer.concat([records, LINE_FEED]),
      finish: NOTHING,
    }),
  },
  csv: {
    ...lineFormat('csv'),
    open: ({ columns }) => {
      const names = columns.map(({ name }) => name)
      return {
        head: () => `${csvLine(names)}\n`,
        records: (records) => csvRecords(records, names),
        finish: NOTHING,
      }
    },
  },
  parquet: { ...fileFormat('parquet', openParquet), heldBytes: 32 * 1024 * 1024 },
  arrow: { ...fileFormat('arrow', openArrow), heldBytes: 16 * 1024 * 1024 },
  xlsx: { ...fileFormat('xlsx', openXlsx), heldBytes: 8 * 1024 * 1024 },
}

const LINE_FEED = Buffer.from('\n')

function lineFormat(format: LineFormat) {
  return {
    contentType: EXPORT_TYPES[format],
    extension: format,
    heldBytes: 0,
    endLines: {
      failure: (errorBody: string) => `${exportFailureLine(format, errorBody)}\n`,
      end: (count: number, version: number) => `${exportEndLine(format, count, version)}\n`,
    },
  }
}

function fileFormat(
  format: ExportFormat,
  openFile: (spec: TableSpec, write: WriteBytes) => TableFile,
) {
  return {
    contentType: EXPORT_TYPES[format],
    extension: format,
    open: (spec: TableSpec): ExportBody => {
      let pieces: Uint8Array[] = []
      // Copied: a file may use its buffer again.
      const file = openFile(spec, (bytes) => void pieces.push(bytes.slice()))
      const take = () => {
        const taken = Buffer.concat(pieces)
        pieces = []
        return taken
      }
      return {
        head: NOTHING,
        records: async (records) => {
          await file.add(records)
          return take()
        },
        finish: async () => {
          await file.finish()
          return take()
        },
      }
    },
  }
}

function linesOf(records: Uint8Array): string[] {
  const { buffer, byteOffset, byteLength } = records
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8').split('\n')
}

function csvRecords(records: Uint8Array, names: readonly string[]): string {
  const lines = linesOf(records).map((line) => {
    const object = JSON.parse(line) as Readonly<Record<string, unknown>>
    return csvLine(names.map((name) => cellOf(object[name])))
  })
  return `${lines.join('\n')}\n`
}

/** Strings are written as they are, all other values as JSON. */
function cellOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}
