import { isUtf8 } from 'node:buffer'
import {
  excerptOf,
  RECORD_MAX_BYTES,
  type ReadRow,
  type RowSource,
  UnreadableFile,
} from '../row.ts'
import { readObject } from './ndjson.ts'

/** A JSON array of objects, read as it arrives: each element is cut out, then parsed. */

export function readJsonArray(stream: AsyncIterable<Buffer>): RowSource {
  return { kind: 'json', rows: readElements(stream) }
}

async function* readElements(stream: AsyncIterable<Buffer>): AsyncGenerator<readonly ReadRow[]> {
  const splitter = new ElementSplitter()
  for await (const chunk of stream) {
    const rows = splitter.take(chunk)
    if (rows.length > 0) yield rows
  }
  splitter.end()
}

const NEWLINE = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** Pieces of an unfinished element that are kept apart. */
const MAX_PIECES = 256

/** What the scanner waits for. */
type State =
  | 'array'
  | 'first element'
  | 'element'
  | 'nested'
  | 'text'
  | 'literal'
  | 'comma'
  | 'nothing'

class ElementSplitter {
  #state: State = 'array'
  #line = 1
  #position = 0
  /** How many objects and arrays are open inside the element. */
  #depth = 0
  #isEscaped = false
  /** The line where the element starts, and what former chunks hold of it. */
  #elementLine = 1
  #begun: Buffer[] = []
  #begunBytes = 0
  #rows: ReadRow[] = []

  take(chunk: Buffer): ReadRow[] {
    this.#rows = []
    let start = this.#isInside() ? 0 : -1
    let at = 0
    while (at < chunk.length) {
      if (this.#state === 'nested') at = this.#skipNested(chunk, at)
      else if (this.#state === 'text') at = this.#skipText(chunk, at)
      else if (this.#state === 'literal') at = this.#skipLiteral(chunk, at)
      else {
        if (this.#takeBetween(chunk[at] as number)) start = at
        at += 1
      }
      if (start !== -1 && !this.#isInside()) {
        this.#finish(chunk.subarray(start, at))
        start = -1
      }
    }
    if (start !== -1) this.#begin(chunk.subarray(start))
    return this.#rows
  }

  end(): void {
    if (this.#state === 'nothing') return
    if (this.#state === 'array') throw new UnreadableFile('there is no JSON in it')
    throw new UnreadableFile(
      this.#isInside()
        ? `line ${this.#elementLine}: the file ends inside the object that starts here`
        : `line ${this.#line}: the file ends before the array does`,
    )
  }

  #isInside(): boolean {
    return this.#state === 'nested' || this.#state === 'text' || this.#state === 'literal'
  }

  /** A byte between elements; true where an element starts. */
  #takeBetween(byte: number): boolean {
    this.#position += 1
    if (isSpace(byte)) {
      if (byte === NEWLINE) this.#line += 1
      return false
    }
    switch (this.#state) {
      case 'array':
        if (byte === BYTE_ORDER_MARK[this.#position - 1]) return false
        if (byte !== OPEN_ARRAY) this.#refuse(whatStartsHere(byte))
        this.#state = 'first element'
        return false
      case 'comma':
        if (byte === COMMA) this.#state = 'element'
        else if (byte === CLOSE_ARRAY) this.#state = 'nothing'
        else this.#refuse('a comma or the end of the array is missing before this')
        return false
      case 'nothing':
        return this.#refuse('more follows after the end of the array')
      default:
        if (byte === CLOSE_ARRAY && this.#state === 'first element') {
          this.#state = 'nothing'
          return false
        }
        if (byte === COMMA || byte === CLOSE_ARRAY) this.#refuse('an object is missing before this')
        this.#startElement(byte)
        return true
    }
  }

  #startElement(byte: number): void {
    this.#elementLine = this.#line
    this.#isEscaped = false
    this.#depth = byte === OPEN_OBJECT || byte === OPEN_ARRAY ? 1 : 0
    this.#state = this.#depth === 1 ? 'nested' : byte === QUOTE ? 'text' : 'literal'
  }

  /** Each of the following returns where to go on: after what it read, or at the end. */

  #skipNested(chunk: Buffer, from: number): number {
    let depth = this.#depth
    let at = from
    while (at < chunk.length) {
      const byte = chunk[at] as number
      at += 1
      if (byte === QUOTE) {
        this.#depth = depth
        this.#state = 'text'
        return at
      }
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth -= 1
        if (depth === 0) {
          this.#state = 'comma'
          return at
        }
      } else if (byte === NEWLINE) this.#line += 1
    }
    this.#depth = depth
    return at
  }

  #skipText(chunk: Buffer, from: number): number {
    let at = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      at += 1
    }
    while (at < chunk.length) {
      const byte = chunk[at] as number
      at += 1
      if (byte === QUOTE) {
        this.#state = this.#depth === 0 ? 'comma' : 'nested'
        return at
      }
      if (byte === BACKSLASH) {
        if (at === chunk.length) this.#isEscaped = true
        at += 1
      } else if (byte === NEWLINE) this.#line += 1
    }
    return chunk.length
  }

  /** A number or a word: it ends before what follows. */
  #skipLiteral(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length) {
      const byte = chunk[at] as number
      if (byte === COMMA || byte === CLOSE_ARRAY || isSpace(byte)) {
        this.#state = 'comma'
        return at
      }
      at += 1
    }
    return at
  }

  /** Keeps what this chunk holds of an element; of a larger one only that it was too large. */
  #begin(piece: Buffer): void {
    this.#begunBytes += piece.length
    if (this.#begunBytes > RECORD_MAX_BYTES) {
      this.#begun = this.#begun.slice(0, 1)
      return
    }
    this.#begun.push(piece)
    if (this.#begun.length > MAX_PIECES) this.#begun = [Buffer.concat(this.#begun)]
  }

  #finish(end: Buffer): void {
    this.#begin(end)
    const bytes = this.#begun.length === 1 ? (this.#begun[0] as Buffer) : Buffer.concat(this.#begun)
    this.#rows.push(readElement(this.#elementLine, bytes, this.#begunBytes))
    this.#begun = []
    this.#begunBytes = 0
  }

  #refuse(reason: string): never {
    throw new UnreadableFile(`line ${this.#line}: ${reason}`)
  }
}

function readElement(line: number, bytes: Buffer, length: number): ReadRow {
  if (length > RECORD_MAX_BYTES) {
    return refused(line, `is longer than ${RECORD_MAX_BYTES} bytes`, bytes)
  }
  if (!isUtf8(bytes)) return refused(line, 'is not UTF-8', bytes)
  return readObject(line, bytes.toString('utf8'))
}

function refused(line: number, reason: string, bytes: Buffer): ReadRow {
  return { line, reason, excerpt: excerptOf(bytes.toString('utf8', 0, 512)) }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
}

function whatStartsHere(byte: number): string {
  return byte === OPEN_OBJECT
    ? 'one JSON object, but an array of objects or an object on each line is needed'
    : 'not the beginning of a JSON array'
}
