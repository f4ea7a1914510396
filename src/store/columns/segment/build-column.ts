/** Builds columns, value by value. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { bitsFor, fillBits, setBit } from '../image/bits.ts'
import { addDictionary, sortTexts } from '../image/dictionary.ts'
import { Growing } from '../image/growing.ts'
import type { ImageWriter, Place } from '../image/image.ts'
import type { ColumnPlace, ColumnSpec } from './column.ts'
import { fromNumber, isExact, toNumber, toText } from './stored-form.ts'

/** What a row has in a field: nothing, one value, or those of a list. Points are pairs. */
export type FieldValue = ColumnValue | Point | readonly (ColumnValue | Point)[] | undefined

export interface Point {
  readonly longitude: number
  readonly latitude: number
}

export interface ColumnBuilder {
  add(value: FieldValue): void
  /** Returns undefined if the column would be too large to be worth its memory. */
  finish(image: ImageWriter): ColumnPlace | undefined
}

export function columnBuilder(spec: ColumnSpec, options: ColumnOptions): ColumnBuilder {
  const { type, isList } = spec
  if (type === undefined || NOT_COMPARED.includes(type)) return new PresenceBuilder(options)
  const values = valueBuilder(type, spec, options)
  return isList ? new ListBuilder(values, options) : values
}

export interface ColumnOptions {
  /** The approximate number of rows. */
  readonly rows: number
  /** Whether columns are kept whose texts take more memory than they are worth. */
  readonly keepsLongTexts: boolean
}

const NOT_COMPARED: readonly ScalarType[] = ['geoshape', 'attachment']

function valueBuilder(
  type: ScalarType,
  { asTexts = false }: ColumnSpec,
  options: ColumnOptions,
): ColumnBuilder {
  if (asTexts) return new CodeBuilder(type, options)
  switch (type) {
    case 'geopoint':
      return new PointBuilder(options)
    case 'string':
    case 'marking':
    case 'decimal':
      return new CodeBuilder(type, options)
    default:
      return new NumberBuilder(type, options)
  }
}

/** Which positions have a value. */
class Presence {
  readonly #absent = new Set<number>()

  addAbsent(position: number): void {
    this.#absent.add(position)
  }

  isAbsent(position: number): boolean {
    return this.#absent.has(position)
  }

  finish(image: ImageWriter, positions: number): Place<'u32'> | undefined {
    if (this.#absent.size === 0) return undefined
    const bits = bitsFor(positions)
    fillBits(bits, positions)
    for (const position of this.#absent) {
      bits[position >>> 5] = (bits[position >>> 5] as number) & ~(1 << (position & 31))
    }
    return image.add('u32', bits)
  }
}

/** Stores numbers; or texts, once a number would not be exact. */
class NumberBuilder implements ColumnBuilder {
  readonly #type: ScalarType
  readonly #options: ColumnOptions
  readonly #numbers: Growing<Float64Array>
  readonly #presence = new Presence()
  #texts: CodeBuilder | undefined
  #isWhole = true
  #min = Infinity
  #max = -Infinity

  constructor(type: ScalarType, options: ColumnOptions) {
    this.#type = type
    this.#options = options
    this.#numbers = new Growing((length) => new Float64Array(length), options.rows)
  }

  add(value: FieldValue): void {
    if (this.#texts !== undefined) this.#texts.add(value)
    else if (value === undefined) {
      this.#presence.addAbsent(this.#numbers.length)
      this.#numbers.push(0)
    } else this.#addNumber(value, toNumber(this.#type, value as ColumnValue))
  }

  #addNumber(value: FieldValue, number: number): void {
    if (!isExact(this.#type, number)) {
      this.#texts = this.#toTexts()
      this.#texts.add(value)
      return
    }
    if (!Number.isInteger(number)) this.#isWhole = false
    if (number < this.#min) this.#min = number
    if (number > this.#max) this.#max = number
    this.#numbers.push(number)
  }

  #toTexts(): CodeBuilder {
    const texts = new CodeBuilder(this.#type, this.#options)
    this.#numbers.array.forEach((number, position) => {
      texts.add(this.#presence.isAbsent(position) ? undefined : fromNumber(this.#type, number))
    })
    return texts
  }

  finish(image: ImageWriter): ColumnPlace | undefined {
    if (this.#texts !== undefined) return this.#texts.finish(image)
    const numbers = this.#numbers.array
    const hasAny = this.#min <= this.#max
    const range = {
      isWhole: this.#isWhole,
      min: hasAny ? this.#min : 0,
      max: hasAny ? this.#max : 0,
    }
    // An absent value is stored as 0, which must fit as well.
    const stored = { ...range, min: Math.min(range.min, 0), max: Math.max(range.max, 0) }
    return {
      kind: 'numbers',
      type: this.#type,
      values: image.addNumbers(numbers, stored),
      present: this.#presence.finish(image, numbers.length),
      range,
    }
  }
}

/** A dictionary may take this many bytes for each position; free texts take more. */
const DICTIONARY_BYTES = 16

class CodeBuilder implements ColumnBuilder {
  readonly #type: ScalarType
  readonly #numbers = new Map<string, number>()
  #codes: Growing<Uint32Array> | undefined
  readonly #maxBytes: number
  #bytes = 0

  constructor(type: ScalarType, { rows, keepsLongTexts }: ColumnOptions) {
    this.#type = type
    this.#codes = new Growing((length) => new Uint32Array(length), rows)
    this.#maxBytes = keepsLongTexts ? Infinity : DICTIONARY_BYTES * Math.max(rows, 4096)
  }

  add(value: FieldValue): void {
    this.#codes?.push(
      value === undefined ? 0 : this.#numberOf(toText(this.#type, value as ColumnValue)),
    )
    if (this.#bytes <= this.#maxBytes) return
    this.#codes = undefined
    this.#numbers.clear()
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#bytes += text.length
    this.#numbers.set(text, this.#numbers.size + 1)
    return this.#numbers.size
  }

  finish(image: ImageWriter): ColumnPlace | undefined {
    if (this.#codes === undefined) return undefined
    const texts = sortTexts([...this.#numbers.keys()])
    const sorted = new Uint32Array(texts.length + 1)
    texts.forEach((text, index) => {
      sorted[this.#numbers.get(text) ?? 0] = index + 1
    })
    const codes = this.#codes.array
    for (let at = 0; at < codes.length; at += 1) codes[at] = sorted[codes[at] as number] as number
    return {
      kind: 'codes',
      type: this.#type,
      codes: image.addNumbers(codes, { isWhole: true, min: 0, max: texts.length }),
      dictionary: addDictionary(image, texts),
    }
  }
}

class PointBuilder implements ColumnBuilder {
  readonly #longitudes: Growing<Float64Array>
  readonly #latitudes: Growing<Float64Array>
  readonly #presence = new Presence()

  constructor({ rows }: ColumnOptions) {
    this.#longitudes = new Growing((length) => new Float64Array(length), rows)
    this.#latitudes = new Growing((length) => new Float64Array(length), rows)
  }

  add(value: FieldValue): void {
    const point = value as Point | undefined
    if (point === undefined) this.#presence.addAbsent(this.#longitudes.length)
    this.#longitudes.push(point?.longitude ?? 0)
    this.#latitudes.push(point?.latitude ?? 0)
  }

  finish(image: ImageWriter): ColumnPlace {
    return {
      kind: 'points',
      longitudes: image.add('f64', this.#longitudes.array),
      latitudes: image.add('f64', this.#latitudes.array),
      present: this.#presence.finish(image, this.#longitudes.length),
    }
  }
}

class PresenceBuilder implements ColumnBuilder {
  readonly #present: Growing<Uint32Array>
  #length = 0

  constructor({ rows }: ColumnOptions) {
    this.#present = new Growing((length) => new Uint32Array(length), rows)
  }

  add(value: FieldValue): void {
    if (value !== undefined) this.#present.push(this.#length)
    this.#length += 1
  }

  finish(image: ImageWriter): ColumnPlace {
    const bits = bitsFor(this.#length)
    for (const position of this.#present.array) setBit(bits, position)
    return { kind: 'presence', present: image.add('u32', bits) }
  }
}

class ListBuilder implements ColumnBuilder {
  readonly #values: ColumnBuilder
  readonly #starts: Growing<Uint32Array>
  readonly #presence = new Presence()
  #count = 0

  constructor(values: ColumnBuilder, { rows }: ColumnOptions) {
    this.#values = values
    this.#starts = new Growing((length) => new Uint32Array(length), rows + 1)
    this.#starts.push(0)
  }

  add(value: FieldValue): void {
    if (value === undefined) this.#presence.addAbsent(this.#starts.length - 1)
    for (const one of (value ?? []) as readonly (ColumnValue | Point)[]) {
      this.#values.add(one)
      this.#count += 1
    }
    this.#starts.push(this.#count)
  }

  finish(image: ImageWriter): ColumnPlace | undefined {
    const values = this.#values.finish(image)
    if (values === undefined) return undefined
    const starts = image.add('u32', this.#starts.array)
    const present = this.#presence.finish(image, this.#starts.length - 1)
    return { kind: 'list', starts, values, present }
  }
}
