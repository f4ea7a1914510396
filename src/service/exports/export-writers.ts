import type { ExportFormat } from '../../contract/export-formats.ts'
import { csvLine } from '../../formats/csv/csv-text.ts'
import { exportEndLine, exportFailureLine } from '../../formats/export-end.ts'

/** Writes an export format. Each part ends with a line feed, so parts can be concatenated. */
export interface ExportWriter {
  readonly contentType: string
  /** Returns the text before the first object. */
  readonly head: (names: readonly string[]) => string
  /** Converts records of the store: one JSON object per line. */
  readonly records: (records: Uint8Array, names: readonly string[]) => Buffer | string
  readonly failure: (errorBody: string) => string
  readonly end: (count: number, version: number) => string
}

export const EXPORT_WRITERS: Readonly<Record<ExportFormat, ExportWriter>> = {
  ndjson: {
    contentType: 'application/x-ndjson',
    head: () => '',
    records: (records) => Buffer.concat([records, LINE_FEED]),
    failure: (errorBody) => `${exportFailureLine('ndjson', errorBody)}\n`,
    end: (count, version) => `${exportEndLine('ndjson', count, version)}\n`,
  },
  csv: {
    contentType: 'text/csv',
    head: (names) => `${csvLine(names)}\n`,
    records: csvRecords,
    failure: (errorBody) => `${exportFailureLine('csv', errorBody)}\n`,
    end: (count, version) => `${exportEndLine('csv', count, version)}\n`,
  },
}

const LINE_FEED = Buffer.from('\n')

function csvRecords(records: Uint8Array, names: readonly string[]): string {
  const lines = Buffer.from(records.buffer, records.byteOffset, records.byteLength)
    .toString('utf8')
    .split('\n')
    .map((line) => {
      const object = JSON.parse(line) as Readonly<Record<string, unknown>>
      return csvLine(names.map((name) => cellOf(object[name])))
    })
  return `${lines.join('\n')}\n`
}

/** Strings are written as they are, all other values as JSON. */
function cellOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}
