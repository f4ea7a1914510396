import type { ExportFormat } from '../../contract/export-formats.ts'

/**
 * Cuts the bytes of an export into whole records. The last whole line is held back, because only
 * the end of the stream tells whether it is an object or the line that ends the export.
 */

const NEWLINE = 0x0a
const QUOTE = 0x22

export class ExportScanner {
  readonly #format: ExportFormat
  /** A whole line that may be the last, and the one before it. */
  #held: Buffer | undefined
  #previous: Buffer | undefined
  /** The beginning of a line. */
  #tail: Buffer[] = []
  #lines = 0
  #insideQuotes = false
  #header: Buffer | undefined
  readonly #hasHeader: boolean

  /** An export that goes on has no header line of its own. */
  constructor(format: ExportFormat, { goesOn }: { goesOn: boolean }) {
    this.#format = format
    this.#hasHeader = format === 'csv' && !goesOn
  }

  /** Whole records so far, the held one included. */
  get records(): number {
    return Math.max(0, this.#lines - (this.#hasHeader ? 1 : 0))
  }

  /** The last whole line. */
  get held(): Buffer | undefined {
    return this.#held
  }

  /** The line before the last. */
  get previous(): Buffer | undefined {
    return this.#previous
  }

  /** The line with the names of the columns. */
  get header(): Buffer | undefined {
    return this.#header
  }

  /** What follows the last whole line. */
  get tail(): Buffer {
    return Buffer.concat(this.#tail)
  }

  /** Takes bytes in, gives those that are certainly records. */
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
      // Copies, so that a short line does not keep the whole chunk alive.
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

  /** In CSV a line feed between quotes belongs to a value; doubled quotes cancel out. */
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
  /** Just behind the last line feed that ends a record, and the ones before; 0 for none. */
  readonly last: number
  readonly secondLast: number
  readonly thirdLast: number
}
