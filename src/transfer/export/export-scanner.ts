/**
 * Splits the bytes of an export into complete records. The last complete line is held back, because
 * only the end of the stream shows whether it is an object or the end line.
 */
import type { ExportFormat } from '../../contract/export-formats.ts'

const NEWLINE = 0x0a
const QUOTE = 0x22

export class ExportScanner {
  readonly #format: ExportFormat
  /** The last complete line, and the one before it. */
  #held: Buffer | undefined
  #previous: Buffer | undefined
  /** The incomplete line at the end. */
  #tail: Buffer[] = []
  #lines = 0
  #insideQuotes = false
  #header: Buffer | undefined
  readonly #hasHeader: boolean

  /** A continuation of an export has no header line. */
  constructor(format: ExportFormat, { isContinuation }: { isContinuation: boolean }) {
    this.#format = format
    this.#hasHeader = format === 'csv' && !isContinuation
  }

  /** The number of complete records, including the held one. */
  get records(): number {
    return Math.max(0, this.#lines - (this.#hasHeader ? 1 : 0))
  }

  /** The last complete line. */
  get held(): Buffer | undefined {
    return this.#held
  }

  /** The line before the last. */
  get previous(): Buffer | undefined {
    return this.#previous
  }

  /** The header line. */
  get header(): Buffer | undefined {
    return this.#header
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
      this.#header = Buffer.concat([...this.#tail, chunk.subarray(0, end)])
    }
    const released = this.#held === undefined ? [] : [this.#held]
    if (count === 1) {
      this.#previous = this.#held
      this.#held = Buffer.concat([...this.#tail, chunk.subarray(0, last)])
    } else {
      released.push(...this.#tail, chunk.subarray(0, secondLast))
      // Copied, so that a short line does not keep the chunk in memory.
      this.#previous = Buffer.concat([
        ...(count === 2 ? this.#tail : []),
        chunk.subarray(thirdLast, secondLast),
      ])
      this.#held = Buffer.from(chunk.subarray(secondLast, last))
    }
    this.#tail = last === chunk.length ? [] : [chunk.subarray(last)]
    this.#lines += count
    return released
  }

  #findEnds(chunk: Buffer): LineEnds {
    if (this.#format === 'csv' && (this.#insideQuotes || chunk.includes(QUOTE))) {
      return this.#findQuotedEnds(chunk)
    }
    let [count, last, secondLast, thirdLast] = [0, 0, 0, 0]
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
      count += 1
      thirdLast = secondLast
      secondLast = last
      last = at + 1
    }
    return { count, last, secondLast, thirdLast }
  }

  /** In CSV, a line feed inside quotes is part of a value; escaped quotes toggle twice. */
  #findQuotedEnds(chunk: Buffer): LineEnds {
    let [count, last, secondLast, thirdLast] = [0, 0, 0, 0]
    let insideQuotes = this.#insideQuotes
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte === QUOTE) insideQuotes = !insideQuotes
      else if (byte === NEWLINE && !insideQuotes) {
        count += 1
        thirdLast = secondLast
        secondLast = last
        last = at + 1
      }
    }
    this.#insideQuotes = insideQuotes
    return { count, last, secondLast, thirdLast }
  }
}

interface LineEnds {
  readonly count: number
  /** The offsets after the last three line feeds that end a record; 0 if there is none. */
  readonly last: number
  readonly secondLast: number
  readonly thirdLast: number
}
