/** Writes exports: as lines, which can be resumed, or as a file with a table. */
import { EXPORT_TYPES, type ExportFormat, type LineFormat } from '../../contract/export-formats.ts'
import { csvLine, escapeFormula } from '../../formats/csv/write-csv.ts'
import { decimalsLine } from '../../formats/decimal-digits.ts'
import { exportEndLine, exportFailureLine } from '../../formats/export-end.ts'
import { ownValue } from '../../formats/row.ts'
import type { TableSpec } from '../../formats/table-file.ts'
import { checkRecords } from './check-records.ts'
import type { CheckedChunk, TableFiles, TableFormat } from './table-files.ts'

export type Piece = Uint8Array | string

/** Writes an export format. */
export interface ExportWriter {
  readonly contentType: string
  /** The end of the names of files. */
  readonly extension: ExportFormat
  /** Absent if the objects are not lines: such an export cannot be resumed, and has no end line. */
  readonly endLines?: EndLines
  /** Whether it needs the digits of decimals before the first object. */
  readonly measuresDecimals?: true
  /** The bytes that it holds beside the records. */
  readonly heldBytes: number
  readonly open: (table: TableSpec, files: TableFiles) => ExportBody
}

interface EndLines {
  readonly failure: (errorBody: string) => string
  readonly end: (count: number, version: number) => string
}

/** One export. Its parts follow each other. */
export interface ExportBody {
  /** Returns what stands before the first object. */
  readonly head: () => Piece
  /** Checks records of the store, and converts them. They are valid until it returns. */
  readonly records: (chunk: CheckedChunk) => Piece | Promise<Piece>
  /** Returns what stands after the last object. */
  readonly finish: () => Piece | Promise<Piece>
  /** Must be called, also after an error. */
  readonly close: () => void
}

const NOTHING = () => ''

export const EXPORT_WRITERS: Readonly<Record<ExportFormat, ExportWriter>> = {
  ndjson: ndjsonFormat(NOTHING),
  csv: csvFormat((text) => text),
  parquet: { ...fileFormat('parquet', 32 * 1024 * 1024), measuresDecimals: true },
  arrow: { ...fileFormat('arrow', 24 * 1024 * 1024), measuresDecimals: true },
  xlsx: fileFormat('xlsx', 8 * 1024 * 1024),
}

/** NDJSON that begins with the digits of decimals, for programs that write a table of it. */
export const NDJSON_WITH_DIGITS: ExportWriter = {
  ...ndjsonFormat(({ columns }) => `${decimalsLine(columns)}\n`),
  measuresDecimals: true,
}

function ndjsonFormat(head: (table: TableSpec) => Piece): ExportWriter {
  return lineFormat('ndjson', (table) => ({
    head: () => head(table),
    lines: (records) => Buffer.concat([records, LINE_FEED]),
  }))
}

/** CSV whose texts no spreadsheet runs as formulas. */
export const CSV_WITHOUT_FORMULAS = csvFormat(escapeFormula)

function csvFormat(textOf: (text: string) => string): ExportWriter {
  return lineFormat('csv', ({ columns }) => {
    const names = columns.map(({ name }) => name)
    return {
      head: () => `${csvLine(names)}\n`,
      lines: (records) => csvRecords(records, names, textOf),
    }
  })
}

const LINE_FEED = Buffer.from('\n')

interface LineBody {
  readonly head: () => Piece
  readonly lines: (records: Buffer) => Piece
}

function lineFormat(format: LineFormat, open: (table: TableSpec) => LineBody): ExportWriter {
  return {
    contentType: EXPORT_TYPES[format],
    extension: format,
    heldBytes: 0,
    endLines: {
      failure: (errorBody) => `${exportFailureLine(format, errorBody)}\n`,
      end: (count, version) => `${exportEndLine(format, count, version)}\n`,
    },
    open: (table) => {
      const { head, lines } = open(table)
      return {
        head,
        records: ({ records, check }) => {
          const plain = checkRecords(records, check)
          const converted = lines(plain)
          // If it were left to the garbage collector, it would run after every few chunks.
          plain.buffer.transfer(0)
          return converted
        },
        finish: NOTHING,
        close: () => {},
      }
    },
  }
}

function fileFormat(format: TableFormat, heldBytes: number): ExportWriter {
  return {
    contentType: EXPORT_TYPES[format],
    extension: format,
    heldBytes,
    open: (table, files) => {
      const { write, close } = files.open({ format, table })
      return {
        head: NOTHING,
        records: ({ records, check }) => write({ records: movable(records), check }),
        finish: () => write(),
        close,
      }
    },
  }
}

/** Returns bytes whose memory is not shared: these, or a copy. */
function movable(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  const isShared = !(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength
  return isShared ? new Uint8Array(bytes) : new Uint8Array(buffer)
}

function csvRecords(
  records: Buffer,
  names: readonly string[],
  textOf: (text: string) => string,
): string {
  const lines = records
    .toString('utf8')
    .split('\n')
    .map((line) => {
      const object = JSON.parse(line) as Readonly<Record<string, unknown>>
      return csvLine(names.map((name) => cellOf(ownValue(object, name), textOf)))
    })
  return `${lines.join('\n')}\n`
}

/** Strings are written as they are, all other values as JSON. */
function cellOf(value: unknown, textOf: (text: string) => string): string | undefined {
  if (value === undefined) return undefined
  return typeof value === 'string' ? textOf(value) : JSON.stringify(value)
}
