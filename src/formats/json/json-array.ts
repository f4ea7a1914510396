/**
 * Reads a JSON array of objects, or the features of a GeoJSON collection, as a stream: splits off
 * each element, then parses it.
 */

import { ByteBuilder } from '../lines.ts'
import {
  excerptOf,
  RECORD_MAX_BYTES,
  type ReadRow,
  type RowSource,
  UnreadableFile,
} from '../row.ts'
import { decodeUtf8, showUtf8 } from '../utf8.ts'
import { ArrayStart, isSpace } from './array-start.ts'
import { readFeature, readRecord } from './geojson.ts'

export function readJsonArray(stream: AsyncIterable<Uint8Array>): RowSource {
  return { kind: 'json', rows: readElements(stream) }
}

async function* readElements(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly ReadRow[]> {
  const start = new ArrayStart()
  let splitter: ElementSplitter | undefined
  for await (const chunk of stream) {
    const from = splitter === undefined ? start.find(chunk) : 0
    if (from === undefined) continue
    splitter ??= new ElementSplitter(start)
    const rows = splitter.take(chunk.subarray(from))
    if (rows.length > 0) yield rows
  }
  if (splitter === undefined) return start.end()
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
/** Enough bytes for an excerpt of any characters. */
const EXCERPT_BYTES = 512

/** The token that the scanner expects, or is inside of. */
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
  readonly #isCollection: boolean
  #state: State = 'array'
  #line: number
  /** The last byte after the array that is not space. */
  #last = 0
  /** The number of open objects and arrays inside the element. */
  #depth = 0
  #isEscaped = false
  /** The line on which the element starts, and its bytes so far: one too many if it is too long. */
  #elementLine = 1
  readonly #partial = new ByteBuilder(RECORD_MAX_BYTES + 1)
  #rows: ReadRow[] = []

  constructor({ line, isCollection }: Pick<ArrayStart, 'line' | 'isCollection'>) {
    this.#line = line
    this.#isCollection = isCollection
  }

  take(chunk: Uint8Array): ReadRow[] {
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
    if (start !== -1) this.#partial.append(chunk.subarray(start))
    return this.#rows
  }

  end(): void {
    if (this.#state === 'nothing' && (!this.#isCollection || this.#last === CLOSE_OBJECT)) return
    throw new UnreadableFile(
      this.#isInside()
        ? `line ${this.#elementLine}: the file ends inside the object that starts here`
        : `line ${this.#line}: the file ends before the ${this.#isCollection ? 'collection' : 'array'} does`,
    )
  }

  #isInside(): boolean {
    return this.#state === 'nested' || this.#state === 'text' || this.#state === 'literal'
  }

  /** Takes a byte between elements; returns true if it starts an element. */
  #takeBetween(byte: number): boolean {
    if (isSpace(byte)) {
      if (byte === NEWLINE) this.#line += 1
      return false
    }
    switch (this.#state) {
      case 'array':
        this.#state = 'first element'
        return false
      case 'comma':
        if (byte === COMMA) this.#state = 'element'
        else if (byte === CLOSE_ARRAY) this.#state = 'nothing'
        else this.#refuse('expected a comma or the end of the array')
        return false
      case 'nothing':
        this.#last = byte
        if (this.#isCollection) return false
        return this.#refuse('there is data after the end of the array')
      default:
        if (byte === CLOSE_ARRAY && this.#state === 'first element') {
          this.#state = 'nothing'
          return false
        }
        if (byte === COMMA || byte === CLOSE_ARRAY) this.#refuse('expected an object')
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

  /** The skip methods return the index after the bytes that they took. */

  #skipNested(chunk: Uint8Array, from: number): number {
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

  #skipText(chunk: Uint8Array, from: number): number {
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

  /** A number, true, false or null: ends before the next delimiter. */
  #skipLiteral(chunk: Uint8Array, from: number): number {
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

  #finish(end: Uint8Array): void {
    let bytes = end
    if (this.#partial.length > 0) {
      this.#partial.append(end)
      bytes = this.#partial.take()
    }
    const read = this.#isCollection ? readFeature : readRecord
    this.#rows.push(readElement(this.#elementLine, bytes, read))
  }

  #refuse(reason: string): never {
    throw new UnreadableFile(`line ${this.#line}: ${reason}`)
  }
}

function readElement(
  line: number,
  bytes: Uint8Array,
  read: (line: number, text: string) => ReadRow,
): ReadRow {
  if (bytes.length > RECORD_MAX_BYTES) {
    return refused(line, `is longer than ${RECORD_MAX_BYTES} bytes`, bytes)
  }
  const text = decodeUtf8(bytes)
  if (text !== undefined) return read(line, text)
  return { ...refused(line, 'is not UTF-8', bytes), remedy: { do: 'nameEncoding' } }
}

function refused(line: number, reason: string, bytes: Uint8Array): ReadRow {
  return { line, reason, excerpt: excerptOf(showUtf8(bytes, EXCERPT_BYTES)) }
}
