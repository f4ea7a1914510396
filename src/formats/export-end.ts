/**
 * The last line of an export. It states the number of objects, or the error that ended the export
 * early. An export without such a line was truncated.
 */

import type { LineFormat } from '../contract/export-formats.ts'
import { UnreadableFile } from './row.ts'

export type ExportEnd =
  | { readonly kind: 'complete'; readonly count: number; readonly version: string }
  | { readonly kind: 'failed'; readonly error: unknown }

interface EndLines {
  readonly complete: (count: number, version: number) => string
  readonly failed: (errorBody: string) => string
  readonly read: (text: string) => ExportEnd | undefined
}

const END_LINES: Readonly<Record<LineFormat, EndLines>> = {
  // API names cannot contain a dollar sign, so no object looks like an end line.
  ndjson: {
    complete: (count, version) => `{"$end":{"count":${count},"version":${version}}}`,
    failed: (errorBody) => `{"$error":${errorBody}}`,
    read: readNdjsonEnd,
  },
  // Values that start with a number sign are quoted, so no record looks like an end line.
  csv: {
    complete: (count, version) =>
      `# end of export: ${count} ${count === 1 ? 'object' : 'objects'}, version ${version}`,
    failed: (errorBody) => `# export failed: ${errorBody}`,
    read: readCsvEnd,
  },
}

/** Returns the end line of a complete export, without a line feed. */
export function exportEndLine(format: LineFormat, count: number, version: number): string {
  return END_LINES[format].complete(count, version)
}

/** Returns the end line of a failed export; the error body is JSON text. */
export function exportFailureLine(format: LineFormat, errorBody: string): string {
  return END_LINES[format].failed(errorBody)
}

/** Parses an end line; returns undefined for any other line. */
export function readExportEnd(format: LineFormat, text: string): ExportEnd | undefined {
  return END_LINES[format].read(text)
}

/** Throws if the end line does not match the number of records before it. */
export function checkExportEnd(line: number, end: ExportEnd, count: number): void {
  if (end.kind === 'failed') {
    throw new UnreadableFile(`line ${line}: the export failed here and is incomplete; export again`)
  }
  if (end.count === count) return
  throw new UnreadableFile(
    `line ${line}: the file was truncated or changed: the export had ${end.count} objects, the file has ${count}`,
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
  const [, count, version] = /^# end of export: (\d+) objects?, version (\d+)\s*$/.exec(text) ?? []
  if (count === undefined || version === undefined) return undefined
  return { kind: 'complete', count: Number(count), version }
}

/** Returns undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
