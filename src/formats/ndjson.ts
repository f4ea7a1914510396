import { isBlank, type Line, splitLines } from './lines.ts'
import {
  excerptOf,
  isUnreadable,
  RECORD_MAX_BYTES,
  type ReadRow,
  type RowSource,
  UnreadableFile,
} from './row.ts'

/** Newline-delimited JSON: an object on each line. */

export function readNdjson(stream: AsyncIterable<Buffer>): RowSource {
  return { kind: 'json', rows: readObjects(stream) }
}

async function* readObjects(stream: AsyncIterable<Buffer>): AsyncGenerator<readonly ReadRow[]> {
  let count = 0
  for await (const lines of splitLines(stream, RECORD_MAX_BYTES)) {
    const rows: ReadRow[] = []
    for (const line of lines) {
      if (isUnreadable(line)) rows.push(line)
      else {
        const text = line.number === 1 ? withoutByteOrderMark(line.text) : line.text
        if (isBlank(text)) continue
        refuseFailedExport(line.number, text, '{"$error":')
        const end = endOfExport(text)
        if (end === undefined) rows.push(readObject(line.number, text))
        else {
          // Exports can be put together into one file: each end counts what stands before it.
          checkExportCount(line, end, count + rows.length)
          count = -rows.length
        }
      }
    }
    count += rows.length
    if (rows.length > 0) yield rows
  }
}

/** One object, or why the text is none. */
export function readObject(line: number, text: string): ReadRow {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { line, reason: 'is not JSON', excerpt: excerptOf(text) }
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { line, reason: 'is not a JSON object', excerpt: excerptOf(text) }
  }
  return { line, cells: json as Record<string, unknown>, json: text }
}

export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** An export whose end does not count what stands before it is not whole. */
export function checkExportCount({ number }: Line, expected: number, found: number): void {
  if (expected === found) return
  throw new UnreadableFile(
    `line ${number}: the export was cut or changed: it had ${expected} objects, ${found} are here`,
  )
}

/** An export that could not be finished says so where it stops. */
export function refuseFailedExport(line: number, text: string, mark: string): void {
  if (!text.startsWith(mark)) return
  throw new UnreadableFile(`line ${line}: the export failed here, the rest is missing`)
}

/** Our own exports end with `{"$end": {"count": 3, "version": 7}}`; no property is called so. */
function endOfExport(text: string): number | undefined {
  if (!text.startsWith('{"$end"')) return undefined
  try {
    const json = JSON.parse(text) as { $end?: { count?: unknown } | null }
    const count = Object.keys(json).length === 1 ? json.$end?.count : undefined
    return typeof count === 'number' ? count : undefined
  } catch {
    return undefined
  }
}

/** The last line of an export: nothing was cut if it is there. */
export function ndjsonEndLine(count: number, version: number): string {
  return `{"$end":{"count":${count},"version":${version}}}`
}
