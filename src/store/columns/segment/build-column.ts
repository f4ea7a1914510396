/** Builds columns, value by value. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { bitsFor, clearBit, fillBits, setBit } from '../arrays/bits.ts'
import { Growing } from '../arrays/growing.ts'
import type { ImageWriter, Place } from '../arrays/shared-arrays.ts'
import { PostingsBuilder } from './build-postings.ts'
import { CodeBuilder } from './code-builder.ts'
import type { ColumnPlace, ColumnSpec } from './column.ts'
import type { ColumnBuilder, ColumnOptions, FieldValue, Point, RowOrder } from './column-builder.ts'
import type { PostingsPlace } from './postings.ts'
import { fromNumber, isExact, toNumber } from './stored-form.ts'

export type { FieldValue } from './column-builder.ts'

export function columnBuilder(spec: ColumnSpec, options: ColumnOptions): ColumnBuilder {
  const { type, isList } = spec
  if (type === undefined || NOT_COMPARED.includes(type)) return new PresenceBuilder(options)
  const values = valueBuilder(type, spec, options)
  return isList ? new ListBuilder(values, options) : values
}

const NOT_COMPARED: readonly ScalarType[] = ['geoshape', 'attachment']

function valueBuilder(
  type: ScalarType,
  { asTexts = false, language }: ColumnSpec,
  options: ColumnOptions,
): ColumnBuilder {
  if (asTexts) return new CodeBuilder(type, options)
  switch (type) {
    case 'geopoint':
      return new PointBuilder(options)
    case 'string': {
      const terms = options.hasTerms ? new PostingsBuilder(language) : undefined
      return new CodeBuilder(type, options, terms)
    }
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

  finish(image: ImageWriter, positions: number, order: RowOrder): Place<'u32'> | undefined {
    if (this.#absent.size === 0) return undefined
    const bits = bitsFor(positions)
    fillBits(bits, positions)
    if (order === undefined) for (const position of this.#absent) clearBit(bits, position)
    else {
      for (const [position, row] of order.entries()) {
        if (this.#absent.has(row)) clearBit(bits, position)
      }
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

  finish(image: ImageWriter, order: RowOrder): ColumnPlace | undefined {
    if (this.#texts !== undefined) return this.#texts.finish(image, order)
    const numbers = this.#numbers.inOrder(order)
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
      present: this.#presence.finish(image, numbers.length, order),
      range,
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

  finish(image: ImageWriter, order: RowOrder): ColumnPlace {
    return {
      kind: 'points',
      longitudes: image.add('f64', this.#longitudes.inOrder(order)),
      latitudes: image.add('f64', this.#latitudes.inOrder(order)),
      present: this.#presence.finish(image, this.#longitudes.length, order),
    }
  }
}

class PresenceBuilder implements ColumnBuilder {
  readonly #isPresent: Growing<Uint32Array>

  constructor({ rows }: ColumnOptions) {
    this.#isPresent = new Growing((length) => new Uint32Array(length), rows)
  }

  add(value: FieldValue): void {
    this.#isPresent.push(value === undefined ? 0 : 1)
  }

  finish(image: ImageWriter, order: RowOrder): ColumnPlace {
    const isPresent = this.#isPresent.inOrder(order)
    const bits = bitsFor(isPresent.length)
    for (const [position, present] of isPresent.entries()) if (present === 1) setBit(bits, position)
    return { kind: 'presence', present: image.add('u32', bits) }
  }
}

class ListBuilder implements ColumnBuilder {
  readonly #values: ColumnBuilder
  readonly #starts: Growing<Uint32Array>
  /** The starts in the order of the positions. */
  #ordered: Uint32Array | undefined
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

  finish(image: ImageWriter, order: RowOrder): ColumnPlace | undefined {
    const ofValues = order && this.#orderValues(order)
    const values = this.#values.finish(image, ofValues)
    if (values === undefined) return undefined
    const starts = image.add('u32', this.#orderedStarts)
    const present = this.#presence.finish(image, this.#starts.length - 1, order)
    return { kind: 'list', starts, values, present }
  }

  finishTerms(image: ImageWriter): PostingsPlace | undefined {
    const values = this.#values
    return values instanceof CodeBuilder
      ? values.finishTerms(image, this.#orderedStarts)
      : undefined
  }

  get #orderedStarts(): Uint32Array {
    return this.#ordered ?? this.#starts.array
  }

  /** Returns the order of the values in that of their rows. */
  #orderValues(order: Uint32Array): Uint32Array {
    const starts = this.#starts.array
    const ordered = new Uint32Array(starts.length)
    const values = new Uint32Array(this.#count)
    let count = 0
    for (const [position, row] of order.entries()) {
      for (let at = starts[row] as number; at < (starts[row + 1] as number); at += 1) {
        values[count] = at
        count += 1
      }
      ordered[position + 1] = count
    }
    this.#ordered = ordered
    return values
  }
}
