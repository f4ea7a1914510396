/** Reads the lines of an NDJSON request body as they arrive. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { isBlank, type Line, type SplitLine, splitLines } from '../../formats/lines.ts'
import { isUnreadable } from '../../formats/row.ts'

export type { Line }

export interface LineLimits {
  readonly maxBytes: number
  readonly maxLineBytes: number
}

/** Yields the lines of a stream, chunk by chunk, without blank lines. */
export async function* readLines(
  stream: AsyncIterable<Buffer>,
  limits: LineLimits,
): AsyncGenerator<readonly SplitLine[]> {
  const bytes = withinBytes(stream, limits.maxBytes)
  for await (const split of splitLines(bytes, limits.maxLineBytes)) {
    const lines = split.filter((line) => isUnreadable(line) || !isBlank(line.text))
    if (lines.length > 0) yield lines
  }
}

async function* withinBytes(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxBytes })
    yield chunk
  }
}
