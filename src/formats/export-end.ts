import type { ExportFormat } from '../contract/export-formats.ts'
import { UnreadableFile } from './row.ts'

/**
 * The last line of an export. It counts the objects, or says why there are no more of them: an
 * export without such a line was cut.
 */
export type ExportEnd =
  | { readonly kind: 'complete'; readonly count: number; readonly version: string }
  | { readonly kind: 'failed'; readonly error: unknown }

interface EndLines {
  readonly complete: (count: number, version: number) => string
  readonly failed: (errorBody: string) => string
  readonly read: (text: string) => ExportEnd | undefined
}

const END_LINES: Readonly<Record<ExportFormat, EndLines>> = {
  // No property can have a name with a dollar sign, so that no object is taken for the end.
  ndjson: {
    complete: (count, version) => `{"$end":{"count":${count},"version":${version}}}`,
    failed: (errorBody) => `{"$error":${errorBody}}`,
    read: readNdjsonEnd,
  },
  // No value starts with a number sign unless it stands in quotes.
  csv: {
    complete: (count, version) => `# end of export: ${count} objects, version ${version}`,
    failed: (errorBody) => `# export failed: ${errorBody}`,
    read: readCsvEnd,
  },
}

/** The line that ends a complete export, without its line feed. */
export function exportEndLine(format: ExportFormat, count: number, version: number): string {
  return END_LINES[format].complete(count, version)
}

/** The line where an export breaks off; the body of an error is JSON text. */
export function exportFailureLine(format: ExportFormat, errorBody: string): string {
  return END_LINES[format].failed(errorBody)
}

/** How the export ends with this line; undefined for any other line. */
export function readExportEnd(format: ExportFormat, text: string): ExportEnd | undefined {
  return END_LINES[format].read(text)
}

/** Refuses a file that does not hold a whole export. */
export function checkExportEnd(line: number, end: ExportEnd, found: number): void {
  if (end.kind === 'failed') {
    throw new UnreadableFile(`line ${line}: the export failed here, the rest is missing`)
  }
  if (end.count === found) return
  throw new UnreadableFile(
    `line ${line}: the export was cut or changed: it had ${end.count} objects, ${found} are here`,
  )
}

function readNdjsonEnd(text: string): ExportEnd | undefined {
  if (!text.startsWith('{"$')) return undefined
  const json = parseJson(text) as Readonly<Record<string, unknown>> | undefined
  if (text.startsWith('{"$error":')) return { kind: 'failed', error: json?.['$error'] ?? text }
  if (json === undefined || Object.keys(json).length !== 1) return undefined
  const { count, version } = (json['$end'] ?? {}) as Readonly<Record<string, unknown>>
  if (typeof count !== 'number' || typeof version !== 'number') return undefined
  return { kind: 'complete', count, version: String(version) }
}

function readCsvEnd(text: string): ExportEnd | undefined {
  if (!text.startsWith('# e')) return undefined
  const failure = /^# export failed: (.*)/.exec(text)?.[1]
  if (failure !== undefined) return { kind: 'failed', error: parseJson(failure) ?? failure }
  const [, count, version] = /^# end of export: (\d+) objects, version (\d+)\s*$/.exec(text) ?? []
  if (count === undefined || version === undefined) return undefined
  return { kind: 'complete', count: Number(count), version }
}

/** Undefined when it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
