/** The formats in which the service exports objects. */
export const EXPORT_FORMATS = ['ndjson', 'csv'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]
