/** Columns of a record batch, filled with values from JSON text. Their memory is used for every batch. */
import { batchType, Column, columnFromArray, type DataType } from '@uwdata/flechette'
import type { JsonSource } from './json-source.ts'
import { readInt64, readNumber } from './scan-values.ts'

const [SPACE, QUOTE, BACKSLASH, LOWER_T] = [0x20, 0x22, 0x5c, 0x74]

/** A column that is being filled, row after row. A row without a value is null. */
export interface ValueColumn {
  /** Reads a JSON value, which is not null, into a row. */
  append(source: JsonSource, row: number): void
  /** Returns a number of rows and begins again. The result is valid until the next value. */
  take(rows: number): Column<unknown>
}

type Convert = (value: unknown) => unknown

/** Which rows of a column have a value. */
abstract class NullableColumn {
  protected readonly type: DataType
  readonly #present: Uint8Array
  #nulls = 0
  #rows = 0

  constructor(type: DataType, capacity: number) {
    this.type = type
    this.#present = new Uint8Array(Math.ceil(capacity / 8)).fill(0xff)
  }

  /** Must be called before a row is set. */
  protected begin(row: number): void {
    if (this.#rows < row) this.#skipTo(row)
    this.#rows = row + 1
  }

  #skipTo(end: number): void {
    for (let row = this.#rows; row < end; row += 1) {
      this.#present[row >> 3] = (this.#present[row >> 3] as number) & ~(1 << (row & 7))
      this.skip(row)
    }
    this.#nulls += end - this.#rows
    this.#rows = end
  }

  /** Sets what stands in the place of a null. */
  protected abstract skip(row: number): void

  /** Must be called before the values of the rows are taken. */
  protected end(rows: number): void {
    this.#skipTo(rows)
  }

  protected takeBatch(buffers: { values: ArrayBufferView; offsets?: Int32Array }): Column<unknown> {
    const [length, nullCount] = [this.#rows, this.#nulls]
    const bits = this.#present.slice(0, Math.ceil(length / 8))
    this.#present.fill(0xff)
    this.#rows = 0
    this.#nulls = 0
    const { type } = this
    if (length === 0) return new Column([], type)
    const validity = nullCount === 0 ? new Uint8Array() : bits
    const Batch = batchType(type)
    return new Column([new Batch({ length, nullCount, type, validity, ...buffers } as never)], type)
  }
}

/** The bytes that are compared at once. */
const WORD = 4
const QUOTES = 0x22222222
const BACKSLASHES = 0x5c5c5c5c

/** Whether one of four bytes is zero. */
const hasZero = (word: number) => ((word - 0x01010101) & ~word & 0x80808080) !== 0

/** Texts, copied without decoding them. */
export class TextColumn extends NullableColumn implements ValueColumn {
  readonly #isJson: boolean
  readonly #offsets: Int32Array
  #values = new Uint8Array(1024)
  #view = new DataView(this.#values.buffer)
  #end = 0

  /** With `isJson`, the text of a value is its JSON without spaces. */
  constructor(type: DataType, capacity: number, isJson: boolean) {
    super(type, capacity)
    this.#offsets = new Int32Array(capacity + 1)
    this.#isJson = isJson
  }

  append(source: JsonSource, row: number): void {
    this.begin(row)
    const { at: start } = source
    if (!(this.#isJson ? this.#copyJson(source) : this.#copyPlain(source))) {
      source.at = start
      const value = source.parse()
      const encoded = Buffer.from(this.#isJson ? JSON.stringify(value) : String(value))
      this.#reserve(this.#end + encoded.length)
      this.#values.set(encoded, this.#end)
      this.#end += encoded.length
    }
    this.#offsets[row + 1] = this.#end
  }

  /** Copies the JSON of a value, which the service stores without spaces; returns false if it has some. */
  #copyJson(source: JsonSource): boolean {
    const { bytes, at: start } = source
    source.skipValue()
    const { at: end } = source
    this.#reserve(this.#end + end - start)
    const values = this.#values
    const shift = this.#end - start
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] as number
      if (byte <= SPACE) return false
      values[at + shift] = byte
    }
    this.#end += end - start
    return true
  }

  /** Copies the bytes of a JSON string; returns false if it is none, or has escapes. */
  #copyPlain(source: JsonSource): boolean {
    const { bytes, view } = source
    if (bytes[source.at] !== QUOTE) return false
    const lastWord = bytes.length - WORD
    let from = source.at + 1
    let to = this.#end
    this.#reserve(to + WORD)
    while (from <= lastWord) {
      const word = view.getInt32(from, true)
      if (hasZero(word ^ QUOTES) || hasZero(word ^ BACKSLASHES)) break
      this.#view.setInt32(to, word, true)
      from += WORD
      to += WORD
      if (to + WORD > this.#values.length) this.#reserve(to + WORD)
    }
    // At most three bytes, or the last ones of the records.
    let byte = bytes[from]
    while (byte !== QUOTE && byte !== BACKSLASH && byte !== undefined) {
      this.#values[to] = byte
      from += 1
      to += 1
      byte = bytes[from]
    }
    if (byte !== QUOTE) return false
    source.at = from + 1
    this.#end = to
    return true
  }

  #reserve(length: number): void {
    if (length <= this.#values.length) return
    const larger = new Uint8Array(2 * length)
    larger.set(this.#values)
    this.#values = larger
    this.#view = new DataView(larger.buffer)
  }

  protected skip(row: number): void {
    this.#offsets[row + 1] = this.#end
  }

  take(rows: number): Column<unknown> {
    this.end(rows)
    const values = this.#values.subarray(0, this.#end)
    const offsets = this.#offsets.subarray(0, rows + 1)
    this.#end = 0
    return this.takeBatch({ values, offsets })
  }
}

export class BooleanColumn extends NullableColumn implements ValueColumn {
  readonly #bits: Uint8Array

  constructor(type: DataType, capacity: number) {
    super(type, capacity)
    this.#bits = new Uint8Array(Math.ceil(capacity / 8))
  }

  append(source: JsonSource, row: number): void {
    this.begin(row)
    const isTrue = source.bytes[source.at] === LOWER_T
    if (isTrue) this.#bits[row >> 3] = (this.#bits[row >> 3] as number) | (1 << (row & 7))
    source.at += isTrue ? 'true'.length : 'false'.length
  }

  protected skip(): void {}

  take(rows: number): Column<unknown> {
    this.end(rows)
    const values = this.#bits.slice(0, Math.ceil(rows / 8))
    this.#bits.fill(0)
    return this.takeBatch({ values })
  }
}

type Numbers = Int8Array | Int16Array | Int32Array | Float32Array | Float64Array

/** Numbers of at most 64 bits that a double represents, and dates in days. */
export class NumberColumn extends NullableColumn implements ValueColumn {
  readonly #numbers: Numbers
  readonly #read: (source: JsonSource) => number

  constructor(type: DataType, numbers: Numbers, read = readNumber) {
    super(type, numbers.length)
    this.#numbers = numbers
    this.#read = read
  }

  append(source: JsonSource, row: number): void {
    this.begin(row)
    this.#numbers[row] = this.#read(source)
  }

  protected skip(row: number): void {
    this.#numbers[row] = 0
  }

  take(rows: number): Column<unknown> {
    this.end(rows)
    return this.takeBatch({ values: this.#numbers.subarray(0, rows) })
  }
}

/** Integers of one or two words of 64 bits: also timestamps in microseconds, and the units of decimals. */
export class IntegerColumn extends NullableColumn implements ValueColumn {
  readonly #integers: BigInt64Array
  /** The halves of the integers, so that most of them never become bigints. */
  readonly #halves: Int32Array
  readonly #read: (source: JsonSource) => number | bigint
  readonly #words: 1 | 2

  constructor(type: DataType, capacity: number, read = readInt64, words: 1 | 2 = 1) {
    super(type, capacity)
    this.#integers = new BigInt64Array(words * capacity)
    this.#halves = new Int32Array(this.#integers.buffer)
    this.#read = read
    this.#words = words
  }

  append(source: JsonSource, row: number): void {
    this.begin(row)
    const value = this.#read(source)
    const at = this.#words * row
    if (typeof value === 'number') this.#set(at, value)
    else this.#integers[at] = value
    if (this.#words === 1) return
    if (typeof value === 'number') this.#set(at + 1, value < 0 ? -1 : 0)
    else this.#integers[at + 1] = value >> 64n
  }

  /** Sets a word to a safe integer. */
  #set(at: number, value: number): void {
    this.#halves[2 * at] = value
    this.#halves[2 * at + 1] = Math.floor(value / 2 ** 32)
  }

  protected skip(row: number): void {
    for (let word = 0; word < this.#words; word += 1) this.#set(this.#words * row + word, 0)
  }

  take(rows: number): Column<unknown> {
    this.end(rows)
    return this.takeBatch({ values: this.#integers.subarray(0, this.#words * rows) })
  }
}

/** Arrays and structs, which are parsed. */
export class NestedColumn implements ValueColumn {
  readonly #type: DataType
  readonly #convert: Convert
  #values: unknown[] = []

  constructor(type: DataType, convert: Convert) {
    this.#type = type
    this.#convert = convert
  }

  append(source: JsonSource, row: number): void {
    this.#skipTo(row)
    this.#values.push(this.#convert(source.parse()))
  }

  #skipTo(row: number): void {
    while (this.#values.length < row) this.#values.push(null)
  }

  take(rows: number): Column<unknown> {
    this.#skipTo(rows)
    const values = this.#values
    this.#values = []
    return columnFromArray(values, this.#type) as Column<unknown>
  }
}
