/** Finds where the rows of a JSON file start: its array, or the features of a GeoJSON collection. */
import { UnreadableFile } from '../row.ts'

const NEWLINE = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const FEATURES = 'features'

export class ArrayStart {
  line = 1
  /** True if the array is a member of an object. */
  isCollection = false
  #position = 0
  #depth = 0
  /** The name of the current member of the collection, as far as it matters. */
  #name = ''
  #isValue = false
  #isText = false
  #isEscaped = false

  /** Returns the index of the bracket that starts the array; undefined if it is in a later chunk. */
  find(chunk: Uint8Array): number | undefined {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      this.#position += 1
      if (byte === NEWLINE) this.line += 1
      if (this.isCollection ? this.#takeMember(byte) : this.#takeStart(byte)) return at
    }
    return undefined
  }

  /** Throws the reason why no array was found. */
  end(): never {
    throw new UnreadableFile(this.isCollection ? `line 1: ${NO_ROWS}` : 'the file contains no JSON')
  }

  #takeStart(byte: number): boolean {
    if (byte === OPEN_ARRAY) return true
    if (byte === OPEN_OBJECT) {
      this.isCollection = true
      this.#depth = 1
    } else if (!isSpace(byte) && byte !== BYTE_ORDER_MARK[this.#position - 1]) {
      throw new UnreadableFile(`line ${this.line}: expected the beginning of a JSON array`)
    }
    return false
  }

  #takeMember(byte: number): boolean {
    if (this.#isText) this.#takeText(byte)
    else if (byte === QUOTE) {
      this.#isText = true
      if (this.#depth === 1 && !this.#isValue) this.#name = ''
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      const isFound = this.#isValue && this.#name === FEATURES && this.#depth === 1
      if (isFound && byte === OPEN_ARRAY) return true
      this.#depth += 1
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      this.#depth -= 1
      if (this.#depth === 0) this.end()
    } else if (this.#depth === 1 && (byte === COLON || byte === COMMA)) {
      this.#isValue = byte === COLON
    }
    return false
  }

  #takeText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isText = false
    if (!this.#isText || this.#isValue || this.#depth !== 1) return
    if (this.#name.length <= FEATURES.length) this.#name += String.fromCharCode(byte)
  }
}

const NO_ROWS =
  'a single JSON object; expected an array of objects, one object per line, or a GeoJSON FeatureCollection'

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
}
