/** The formats in which the service exports objects. */
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The number of slices that one request can divide a snapshot into, for parallel exports too. */
export const SLICES_MAX = 64
