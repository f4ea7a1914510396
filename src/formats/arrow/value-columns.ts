/** Columns of a record batch, filled with values from JSON text. Their memory is used for every batch. */
import { batchType, Column, columnFromArray, type DataType } from '@uwdata/flechette'
import { int64At, numberAt, textAt } from './scan-values.ts'

const [QUOTE, BACKSLASH, LOWER_T] = [0x22, 0x5c, 0x74]

/** A column that is being filled. */
export interface ValueColumn {
  /** Appends the JSON value, which is not null, between two positions. */
  append(bytes: Uint8Array, start: number, end: number): void
  /** Ends a row: appends a null if it has no value. */
  endRow(): void
  /** Returns the rows and begins again. The result is valid until the next value. */
  take(): Column<unknown>
}

type Convert = (value: unknown) => unknown

/** Which rows of a column have a value. */
abstract class NullableColumn {
  protected readonly type: DataType
  readonly #present: Uint8Array
  protected rows = 0
  #count = 0
  #hasValue = false

  constructor(type: DataType, capacity: number) {
    this.type = type
    this.#present = new Uint8Array(Math.ceil(capacity / 8))
  }

  protected mark(): void {
    const { rows } = this
    this.#present[rows >> 3] = (this.#present[rows >> 3] as number) | (1 << (rows & 7))
    this.#hasValue = true
  }

  endRow(): void {
    if (this.#hasValue) this.#count += 1
    else this.skip()
    this.rows += 1
    this.#hasValue = false
  }

  /** Sets what stands in the place of a null. */
  protected abstract skip(): void

  protected takeBatch(buffers: { values: ArrayBufferView; offsets?: Int32Array }): Column<unknown> {
    const [length, nullCount] = [this.rows, this.rows - this.#count]
    const bits = this.#present.slice(0, Math.ceil(length / 8))
    this.#present.fill(0)
    this.rows = 0
    this.#count = 0
    const { type } = this
    if (length === 0) return new Column([], type)
    const validity = nullCount === 0 ? new Uint8Array() : bits
    const Batch = batchType(type)
    return new Column([new Batch({ length, nullCount, type, validity, ...buffers } as never)], type)
  }
}

/** Texts, copied without decoding them. */
export class TextColumn extends NullableColumn implements ValueColumn {
  readonly #toText: Convert | undefined
  readonly #offsets: Int32Array
  #values = new Uint8Array(1024)
  #end = 0

  /** Values that are not texts in JSON need a conversion. */
  constructor(type: DataType, capacity: number, toText: Convert | undefined) {
    super(type, capacity)
    this.#offsets = new Int32Array(capacity + 1)
    this.#toText = toText
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    this.mark()
    const isPlain = this.#toText === undefined && bytes[start] === QUOTE
    if (isPlain && this.#copyPlain(bytes, start + 1, end - 1)) return
    const value = JSON.parse(textAt(bytes, start, end))
    const encoded = Buffer.from(String(this.#toText?.(value) ?? value))
    const to = this.#reserve(encoded.length)
    this.#values.set(encoded, to)
    this.#setEnd(to + encoded.length)
  }

  /** Copies the bytes of a JSON string; returns false if it has escapes. */
  #copyPlain(bytes: Uint8Array, start: number, end: number): boolean {
    let to = this.#reserve(end - start)
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] as number
      if (byte === BACKSLASH) return false
      this.#values[to] = byte
      to += 1
    }
    this.#setEnd(to)
    return true
  }

  /** Makes room; returns where the next text begins. */
  #reserve(length: number): number {
    if (this.#end + length > this.#values.length) {
      const larger = new Uint8Array(2 * (this.#end + length))
      larger.set(this.#values.subarray(0, this.#end))
      this.#values = larger
    }
    return this.#end
  }

  #setEnd(end: number): void {
    this.#end = end
    this.#offsets[this.rows + 1] = end
  }

  protected skip(): void {
    this.#offsets[this.rows + 1] = this.#end
  }

  take(): Column<unknown> {
    const values = this.#values.subarray(0, this.#end)
    const offsets = this.#offsets.subarray(0, this.rows + 1)
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

  append(bytes: Uint8Array, start: number): void {
    this.mark()
    if (bytes[start] !== LOWER_T) return
    const { rows } = this
    this.#bits[rows >> 3] = (this.#bits[rows >> 3] as number) | (1 << (rows & 7))
  }

  protected skip(): void {}

  take(): Column<unknown> {
    const values = this.#bits.slice(0, Math.ceil(this.rows / 8))
    this.#bits.fill(0)
    return this.takeBatch({ values })
  }
}

type Numbers = Int8Array | Int16Array | Int32Array | Float32Array | Float64Array

/** Numbers of at most 64 bits that a double represents, and dates in days. */
export class NumberColumn extends NullableColumn implements ValueColumn {
  readonly #numbers: Numbers
  readonly #scan: (bytes: Uint8Array, start: number, end: number) => number

  constructor(type: DataType, numbers: Numbers, scan = numberAt) {
    super(type, numbers.length)
    this.#numbers = numbers
    this.#scan = scan
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    this.mark()
    this.#numbers[this.rows] = this.#scan(bytes, start, end)
  }

  protected skip(): void {
    this.#numbers[this.rows] = 0
  }

  take(): Column<unknown> {
    return this.takeBatch({ values: this.#numbers.subarray(0, this.rows) })
  }
}

/** Integers of 64 bits, and timestamps in microseconds. */
export class Int64Column extends NullableColumn implements ValueColumn {
  readonly #integers: BigInt64Array
  /** The halves of the integers, so that most of them never become bigints. */
  readonly #halves: Int32Array
  readonly #scan: (bytes: Uint8Array, start: number, end: number) => number | bigint

  constructor(type: DataType, capacity: number, scan = int64At) {
    super(type, capacity)
    this.#integers = new BigInt64Array(capacity)
    this.#halves = new Int32Array(this.#integers.buffer)
    this.#scan = scan
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    this.mark()
    const value = this.#scan(bytes, start, end)
    if (typeof value === 'bigint') this.#integers[this.rows] = value
    else this.#set(value)
  }

  /** Sets a safe integer. */
  #set(value: number): void {
    this.#halves[2 * this.rows] = value
    this.#halves[2 * this.rows + 1] = Math.floor(value / 2 ** 32)
  }

  protected skip(): void {
    this.#set(0)
  }

  take(): Column<unknown> {
    return this.takeBatch({ values: this.#integers.subarray(0, this.rows) })
  }
}

/** Arrays and structs, which are parsed. */
export class NestedColumn implements ValueColumn {
  readonly #type: DataType
  readonly #convert: Convert
  #values: unknown[] = []
  #value: unknown = null

  constructor(type: DataType, convert: Convert) {
    this.#type = type
    this.#convert = convert
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    this.#value = this.#convert(JSON.parse(textAt(bytes, start, end)))
  }

  endRow(): void {
    this.#values.push(this.#value)
    this.#value = null
  }

  take(): Column<unknown> {
    const values = this.#values
    this.#values = []
    return columnFromArray(values, this.#type) as Column<unknown>
  }
}
