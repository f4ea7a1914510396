import { isUtf8 } from 'node:buffer'
import { ObjectQueryError } from '../contract/errors.ts'

/** Newline-delimited JSON, read as it arrives. */

export interface Line {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
}

export interface LineLimits {
  readonly maxBytes: number
  readonly maxLineBytes: number
}

const NEWLINE = 0x0a
/** Pieces of an unfinished line that are kept apart. */
const MAX_PIECES = 256

/** The lines of a stream, those of one chunk at a time; blank lines are passed over. */
export async function* readLines(
  stream: AsyncIterable<Buffer>,
  limits: LineLimits,
): AsyncGenerator<readonly Line[]> {
  let number = 0
  let bytes = 0
  let begun: Buffer[] = []
  let begunBytes = 0

  const refuseLong = (line: number, length: number) => {
    if (length <= limits.maxLineBytes) return
    throw refusedLine(line, `is longer than ${limits.maxLineBytes} bytes`)
  }
  const finish = (end: Buffer): Line | undefined => {
    number += 1
    const line = begun.length === 0 ? end : Buffer.concat([...begun, end])
    begun = []
    begunBytes = 0
    refuseLong(number, line.length)
    if (!isUtf8(line)) throw refusedLine(number, 'is not UTF-8')
    const text = line.toString('utf8')
    return text.trim() === '' ? undefined : { number, text }
  }

  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > limits.maxBytes) {
      throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxBytes: limits.maxBytes })
    }
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = finish(chunk.subarray(start, end))
      if (line !== undefined) lines.push(line)
      start = end + 1
    }
    begun.push(chunk.subarray(start))
    // Many tiny chunks would cost more than what they hold.
    if (begun.length > MAX_PIECES) begun = [Buffer.concat(begun)]
    begunBytes += chunk.length - start
    refuseLong(number + 1, begunBytes)
    if (lines.length > 0) yield lines
  }
  const last = finish(Buffer.alloc(0))
  if (last !== undefined) yield [last]
}

export function refusedLine(line: number, reason: string, property?: string): ObjectQueryError {
  return new ObjectQueryError(
    'InvalidBatchLine',
    property === undefined ? { line, reason } : { line, property, reason },
  )
}
