/**
 * Splits the bytes of an export into complete records. The last complete line is held back, because
 * only the end of the stream shows whether it is an object or the end line.
 */
import type { LineFormat } from '../../contract/export-formats.ts'

const NEWLINE = 0x0a
const QUOTE = 0x22

export class ExportScanner {
  /** The last complete line, the one before it, and the header line. */
  held: Buffer | undefined
  previous: Buffer | undefined
  header: Buffer | undefined
  readonly #format: LineFormat
  readonly #hasHeader: boolean
  /** The incomplete line at the end. */
  #tail: Buffer[] = []
  #lines = 0
  #insideQuotes = false

  /** A continuation of an export has no header line, nor has NDJSON, unless a header is asked for. */
  constructor(
    format: LineFormat,
    {
      isContinuation,
      hasHeader = format === 'csv',
    }: { readonly isContinuation: boolean; readonly hasHeader?: boolean },
  ) {
    this.#format = format
    this.#hasHeader = hasHeader && !isContinuation
  }

  /** The number of complete records, including the held one. */
  get records(): number {
    return Math.max(0, this.#lines - (this.#hasHeader ? 1 : 0))
  }

  /** The bytes after the last complete line. */
  get tail(): Buffer {
    return Buffer.concat(this.#tail)
  }

  /** Adds bytes; returns those that are certainly records. */
  push(bytes: Uint8Array): readonly Buffer[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const { count, last, secondLast, thirdLast } = this.#findEnds(chunk)
    if (count === 0) {
      this.#tail.push(chunk)
      return []
    }
    if (this.#lines === 0 && this.#hasHeader) {
      const end = chunk.indexOf(NEWLINE) + 1
      this.header = Buffer.concat([...this.#tail, chunk.subarray(0, end)])
    }
    const released = this.held === undefined ? [] : [this.held]
    if (count === 1) {
      this.previous = this.held
      this.held = Buffer.concat([...this.#tail, chunk.subarray(0, last)])
    } else {
      released.push(...this.#tail, chunk.subarray(0, secondLast))
      // Copied, so that a short line does not keep the chunk in memory.
      this.previous = Buffer.concat([
        ...(count === 2 ? this.#tail : []),
        chunk.subarray(thirdLast, secondLast),
      ])
      this.held = Buffer.from(chunk.subarray(secondLast, last))
    }
    this.#tail = last === chunk.length ? [] : [chunk.subarray(last)]
    this.#lines += count
    return released
  }

  #findEnds(chunk: Buffer): LineEnds {
    const ends: LineEnds = { count: 0, last: 0, secondLast: 0, thirdLast: 0 }
    const addEnd = (at: number) => {
      ends.count += 1
      ends.thirdLast = ends.secondLast
      ends.secondLast = ends.last
      ends.last = at + 1
    }
    if (this.#format === 'csv' && (this.#insideQuotes || chunk.includes(QUOTE))) {
      // In CSV, a line feed inside quotes is part of a value; escaped quotes toggle twice.
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at]
        if (byte === QUOTE) this.#insideQuotes = !this.#insideQuotes
        else if (byte === NEWLINE && !this.#insideQuotes) addEnd(at)
      }
      return ends
    }
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) addEnd(at)
    return ends
  }
}

interface LineEnds {
  count: number
  /** The offsets after the last three line feeds that end a record; 0 if there is none. */
  last: number
  secondLast: number
  thirdLast: number
}
