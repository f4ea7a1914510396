import { ObjectQueryError } from '../../contract/errors.ts'
import { isBlank, type Line, type SplitLine, splitLines } from '../../formats/lines.ts'
import { isUnreadable } from '../../formats/row.ts'

/** The lines of a request body, read as they arrive. */

export type { Line }

export interface LineLimits {
  readonly maxBytes: number
  readonly maxLineBytes: number
}

/** The lines of a stream, those of one chunk at a time; blank lines are passed over. */
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
