/** Splits a byte stream into lines of UTF-8 text. */
import { excerptOf, type UnreadableRow } from './row.ts'
import { decodeUtf8, showUtf8 } from './utf8.ts'

export interface Line {
  /** Starts at 1. */
  readonly number: number
  /** Without its line feed, but with a carriage return before that. */
  readonly text: string
}

/** A line, or the reason why it is unreadable: too long, or not UTF-8. */
export type SplitLine = Line | UnreadableRow

const NEWLINE = 0x0a
const EMPTY = new Uint8Array(0)
/** Enough bytes for an excerpt of any characters. */
const EXCERPT_BYTES = 512
/** V8 allocates strings of more than 128 kB in the old generation, where collecting them costs more. */
const DECODED_BYTES = 64 * 1024

/**
 * Yields the lines of a stream, including blank ones, chunk by chunk. A line that is too long is
 * reported at once; the rest of it is skipped without being buffered.
 */
export async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
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
  // Fast path: the first character of most lines is printable ASCII.
  return text.charCodeAt(0) > 0x20 && text.charCodeAt(0) < 0x7f ? false : text.trim() === ''
}

/** Returns the text of a line without a byte order mark at the start of the file. */
export function withoutByteOrderMark({ number, text }: Line): string {
  return number === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Splits chunks of bytes as they arrive. */
export class LineSplitter {
  readonly #maxLineBytes: number
  #number = 0
  /** The incomplete line at the end of the last chunk. */
  readonly #partial: ByteBuilder
  /** True inside a line that was already reported as too long. */
  #isSkipping = false

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes
    // One byte more proves that a line is too long.
    this.#partial = new ByteBuilder(maxLineBytes + 1)
  }

  take(chunk: Uint8Array): SplitLine[] {
    const lines: SplitLine[] = []
    let start = 0
    if (this.#isSkipping || this.#partial.length > 0) {
      const end = chunk.indexOf(NEWLINE)
      if (end === -1) {
        this.#begin(chunk, lines)
        return lines
      }
      if (this.#isSkipping) this.#isSkipping = false
      else lines.push(this.#finish(chunk.subarray(0, end)))
      start = end + 1
    }
    const last = chunk.lastIndexOf(NEWLINE)
    if (last >= start) this.#splitBlock(chunk.subarray(start, last), lines)
    this.#begin(chunk.subarray(Math.max(last + 1, start)), lines)
    return lines
  }

  end(): SplitLine | undefined {
    return this.#partial.length > 0 ? this.#finish(EMPTY) : undefined
  }

  #splitBlock(block: Uint8Array, lines: SplitLine[]): void {
    for (let start = 0; start <= block.length; ) {
      const end = endOfPiece(block, start)
      this.#splitPiece(block.subarray(start, end), lines)
      start = end + 1
    }
  }

  /** Decodes several lines in one call, which is several times faster than line by line. */
  #splitPiece(piece: Uint8Array, lines: SplitLine[]): void {
    const pieceText = piece.length <= this.#maxLineBytes ? decodeUtf8(piece) : undefined
    if (pieceText !== undefined) {
      for (const text of pieceText.split('\n')) {
        this.#number += 1
        lines.push({ number: this.#number, text })
      }
      return
    }
    let start = 0
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      lines.push(this.#readLine(piece.subarray(start, end)))
      start = end + 1
    }
    lines.push(this.#readLine(piece.subarray(start)))
  }

  #begin(piece: Uint8Array, lines: SplitLine[]): void {
    if (this.#isSkipping || piece.length === 0) return
    this.#partial.append(piece)
    if (this.#partial.length <= this.#maxLineBytes) return
    lines.push(this.#finish(EMPTY))
    this.#isSkipping = true
  }

  #finish(end: Uint8Array): SplitLine {
    this.#partial.append(end)
    return this.#readLine(this.#partial.take())
  }

  #readLine(line: Uint8Array): SplitLine {
    this.#number += 1
    const number = this.#number
    if (line.length > this.#maxLineBytes) {
      return refused(number, `is longer than ${this.#maxLineBytes} bytes`, line)
    }
    const text = decodeUtf8(line)
    if (text !== undefined) return { number, text }
    return { ...refused(number, 'is not UTF-8', line), remedy: { do: 'nameEncoding' } }
  }
}

/** Returns the end of a few lines, or of one long line: a line feed, or the end of the block. */
function endOfPiece(block: Uint8Array, start: number): number {
  const limit = start + DECODED_BYTES
  if (block.length <= limit) return block.length
  const before = block.lastIndexOf(NEWLINE, limit)
  if (before >= start) return before
  const after = block.indexOf(NEWLINE, limit)
  return after === -1 ? block.length : after
}

function refused(line: number, reason: string, bytes: Uint8Array): UnreadableRow {
  return { line, reason, excerpt: excerptOf(showUtf8(bytes, EXCERPT_BYTES)) }
}

/**
 * A byte buffer that is reused. Its capacity doubles when it is full, so each byte is copied only a
 * few times on average.
 */
export class ByteBuilder {
  readonly #maxBytes: number
  #buffer = new Uint8Array(0)
  #length = 0

  /** Drops bytes beyond `maxBytes`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get length(): number {
    return this.#length
  }

  append(piece: Uint8Array): void {
    const kept = piece.subarray(0, this.#maxBytes - this.#length)
    const length = this.#length + kept.length
    if (length > this.#buffer.length) this.#grow(length)
    this.#buffer.set(kept, this.#length)
    this.#length = length
  }

  /** Returns the bytes, which are valid until the next append, and empties the builder. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#length)
    this.#length = 0
    return bytes
  }

  #grow(needed: number): void {
    const doubled = Math.max(needed, this.#buffer.length * 2, MIN_CAPACITY)
    const buffer = new Uint8Array(Math.min(doubled, this.#maxBytes))
    buffer.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = buffer
  }
}

const MIN_CAPACITY = 256
