/**
 * Finds the values in records of exports, which are JSON objects, one per line, without parsing them to
 * objects: that takes most of the time of an export.
 */
import { addedProperty } from '../table-file.ts'
import { textAt } from './scan-values.ts'
import type { ValueColumn } from './value-columns.ts'

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]
const SPACE = 0x20
const LOWER_N = 0x6e

/** A column, by the name that its values have in records. */
export interface NamedColumn {
  readonly name: string
  readonly values: ValueColumn
}

/** Reads records one by one into columns. */
export class RecordScanner {
  readonly #columns: readonly NamedColumn[]
  /** The names as records have them: between quotes. Names contain nothing that JSON escapes. */
  readonly #keys: readonly Uint8Array[]
  #bytes: Uint8Array = new Uint8Array()
  #at = 0
  /** The column after the one that was found last: records have their properties in one order. */
  #next = 0

  constructor(columns: readonly NamedColumn[]) {
    this.#columns = columns
    this.#keys = columns.map(({ name }) => Buffer.from(JSON.stringify(name)))
  }

  start(records: Uint8Array): void {
    this.#bytes = records
    this.#at = 0
  }

  /** Appends the values of the next record to the columns; returns its bytes, 0 if there is none. */
  next(): number {
    if (this.#skipSpace() === undefined) return 0
    const start = this.#at
    this.#expect(OPEN_BRACE)
    this.#next = 0
    let last = this.#skipSpace()
    if (last === CLOSE_BRACE) this.#at += 1
    while (last !== CLOSE_BRACE) {
      this.#readValue()
      last = this.#skipSpace()
      this.#expect(last === CLOSE_BRACE ? CLOSE_BRACE : COMMA)
    }
    return this.#at - start
  }

  #readValue(): void {
    const column = this.#findColumn()
    this.#expect(COLON)
    const isNull = this.#skipSpace() === LOWER_N
    const start = this.#at
    this.#at = endOfValue(this.#bytes, start)
    if (!isNull) column.values.append(this.#bytes, start, this.#at)
  }

  /** Returns the next character that is not a space or a line feed; undefined at the end. */
  #skipSpace(): number | undefined {
    while ((this.#bytes[this.#at] as number) <= SPACE) this.#at += 1
    return this.#bytes[this.#at]
  }

  #expect(character: number): void {
    if (this.#skipSpace() !== character) throw new Error('a record of the export is not JSON')
    this.#at += 1
  }

  #findColumn(): NamedColumn {
    this.#skipSpace()
    const { length } = this.#keys
    for (let tried = 0; tried < length; tried += 1) {
      const index = (this.#next + tried) % length
      if (!this.#startsWith(this.#keys[index] as Uint8Array)) continue
      this.#next = index + 1
      return this.#columns[index] as NamedColumn
    }
    const end = endOfValue(this.#bytes, this.#at)
    throw addedProperty(JSON.parse(textAt(this.#bytes, this.#at, end)))
  }

  #startsWith(key: Uint8Array): boolean {
    for (let index = 0; index < key.length; index += 1) {
      if (this.#bytes[this.#at + index] !== key[index]) return false
    }
    this.#at += key.length
    return true
  }
}

/** Returns where the JSON value that starts at a position ends. */
function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start]
  if (first === QUOTE) return endOfString(bytes, start)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(bytes, start)
  let at = start
  while (at < bytes.length) {
    const byte = bytes[at] as number
    if (byte === COMMA || byte === CLOSE_BRACE || byte <= SPACE) break
    at += 1
  }
  return at
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    at += byte === BACKSLASH ? 2 : 1
  }
  return bytes.length
}

function endOfNested(bytes: Uint8Array, start: number): number {
  let depth = 0
  let at = start
  while (at < bytes.length) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfString(bytes, at)
      continue
    }
    at += 1
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return at
}
