import { isUtf8 } from 'node:buffer'
import { ByteBuilder } from './byte-builder.ts'
import { excerptOf, type UnreadableRow } from './row.ts'

/** Text in lines, read as it arrives. */

export interface Line {
  /** Counted from 1. */
  readonly number: number
  /** Without the line feed at its end, but with a carriage return before it. */
  readonly text: string
}

/** A line, or why there is none: too long, or not UTF-8. */
export type SplitLine = Line | UnreadableRow

const NEWLINE = 0x0a
const EMPTY = Buffer.alloc(0)
/** Enough bytes for an excerpt, whatever the characters. */
const EXCERPT_BYTES = 512

/**
 * The lines of a stream, those of one chunk at a time, blank ones too. A line that is too long is
 * reported as soon as it is, then passed over without being kept.
 */
export async function* splitLines(
  stream: AsyncIterable<Buffer>,
  maxLineBytes: number,
): AsyncGenerator<readonly SplitLine[]> {
  const splitter = new LineSplitter(maxLineBytes)
  for await (const chunk of stream) {
    const lines = splitter.take(chunk)
    if (lines.length > 0) yield lines
  }
  const last = splitter.end()
  if (last !== undefined) yield [last]
}

export function isBlank(text: string): boolean {
  // Most lines show with their first character that they are not blank.
  return text.charCodeAt(0) > 0x20 && text.charCodeAt(0) < 0x7f ? false : text.trim() === ''
}

/** The text of a line, without the mark that some programs put at the beginning of a file. */
export function withoutByteOrderMark({ number, text }: Line): string {
  return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
}

class LineSplitter {
  readonly #maxLineBytes: number
  #number = 0
  /** The line that the chunks so far began and did not end. */
  readonly #begun: ByteBuilder
  /** Inside a line that was already refused. */
  #passing = false

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes
    // One byte more is enough to know that a line is too long.
    this.#begun = new ByteBuilder(maxLineBytes + 1)
  }

  take(chunk: Buffer): SplitLine[] {
    const lines: SplitLine[] = []
    let start = 0
    if (this.#passing || this.#begun.length > 0) {
      const end = chunk.indexOf(NEWLINE)
      if (end === -1) {
        this.#begin(chunk, lines)
        return lines
      }
      if (this.#passing) this.#passing = false
      else lines.push(this.#finish(chunk.subarray(0, end)))
      start = end + 1
    }
    const last = chunk.lastIndexOf(NEWLINE)
    if (last >= start) this.#splitBlock(chunk.subarray(start, last), lines)
    this.#begin(chunk.subarray(Math.max(last + 1, start)), lines)
    return lines
  }

  end(): SplitLine | undefined {
    return this.#begun.length > 0 ? this.#finish(EMPTY) : undefined
  }

  /** Whole lines: decoded at once, which is several times faster than one by one. */
  #splitBlock(block: Buffer, lines: SplitLine[]): void {
    if (block.length <= this.#maxLineBytes && isUtf8(block)) {
      for (const text of block.toString('utf8').split('\n')) {
        this.#number += 1
        lines.push({ number: this.#number, text })
      }
      return
    }
    let start = 0
    for (let end = block.indexOf(NEWLINE); end !== -1; end = block.indexOf(NEWLINE, start)) {
      lines.push(this.#readLine(block.subarray(start, end)))
      start = end + 1
    }
    lines.push(this.#readLine(block.subarray(start)))
  }

  #begin(piece: Buffer, lines: SplitLine[]): void {
    if (this.#passing || piece.length === 0) return
    this.#begun.append(piece)
    if (this.#begun.length <= this.#maxLineBytes) return
    lines.push(this.#finish(EMPTY))
    this.#passing = true
  }

  #finish(end: Buffer): SplitLine {
    this.#begun.append(end)
    return this.#readLine(this.#begun.take())
  }

  #readLine(line: Buffer): SplitLine {
    this.#number += 1
    const number = this.#number
    if (line.length > this.#maxLineBytes) {
      return refused(number, `is longer than ${this.#maxLineBytes} bytes`, line)
    }
    if (!isUtf8(line)) return refused(number, 'is not UTF-8', line)
    return { number, text: line.toString('utf8') }
  }
}

function refused(line: number, reason: string, bytes: Buffer): UnreadableRow {
  return { line, reason, excerpt: excerptOf(bytes.toString('utf8', 0, EXCERPT_BYTES)) }
}
