/** The formats in which the service exports objects. */

/** Formats with one object per line: exports in them can be resumed, and can end with an end line. */
export const LINE_FORMATS = ['ndjson', 'csv'] as const

export type LineFormat = (typeof LINE_FORMATS)[number]

export const EXPORT_FORMATS = [...LINE_FORMATS, 'parquet', 'arrow', 'xlsx'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The number of slices that one request can divide a snapshot into, for parallel exports too. */
export const SLICES_MAX = 64
