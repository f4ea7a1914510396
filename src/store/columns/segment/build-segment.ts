/** Builds a segment from rows, in key order or in any order. */
import { DictionaryWriter } from '../arrays/dictionary.ts'
import { Growing } from '../arrays/growing.ts'
import { ImageWriter } from '../arrays/shared-arrays.ts'
import { columnBuilder } from './build-column.ts'
import type { ColumnSpec } from './column.ts'
import type { ColumnBuilder, ColumnOptions, FieldValue } from './column-builder.ts'
import type { SegmentPlace } from './segment.ts'
import { UnorderedKeys } from './unordered-keys.ts'

/** A row version. */
export interface SegmentRow {
  readonly key: string
  /** The version that added it. */
  readonly validFrom: number
  /** What it has in each field, in the order of the specs. */
  readonly values: readonly FieldValue[]
}

export interface SegmentOptions {
  /** Rows, or only values without their keys and terms. */
  readonly kind: 'rows' | 'values'
  /** The approximate number of rows. */
  readonly rows: number
  /** Whether rows are added in any order, each with another key. */
  readonly isUnordered?: boolean
  /** The most rows, if their number is not known. */
  readonly maxRows?: number
  /** The length of the distinct texts of a column that has values. */
  readonly maxTextLength?: number
}

/** The distinct texts of a column may be this long for each row; free texts are longer. */
const TEXT_LENGTH = 16

function maxTextLengthOf(rows: number): number {
  return TEXT_LENGTH * Math.max(rows, 4096)
}

export interface BuiltSegment {
  readonly buffer: SharedArrayBuffer
  readonly place: SegmentPlace
}

export class SegmentBuilder {
  readonly #specs: readonly ColumnSpec[]
  readonly #options: { -readonly [Name in keyof ColumnOptions]: ColumnOptions[Name] }
  readonly #columns: readonly ColumnBuilder[]
  readonly #keys: DictionaryWriter | UnorderedKeys | undefined
  readonly #versions: Growing<Float64Array>
  #size = 0
  #first = Infinity
  #last = -Infinity

  constructor(
    specs: readonly ColumnSpec[],
    { kind, rows, maxRows = rows, isUnordered, ...options }: SegmentOptions,
  ) {
    this.#specs = specs
    const hasTerms = kind === 'rows'
    const { maxTextLength = hasTerms ? maxTextLengthOf(maxRows) : Infinity } = options
    this.#options = { rows, maxRows, hasTerms, maxTextLength }
    this.#columns = specs.map((spec) => columnBuilder(spec, this.#options))
    if (kind === 'rows') this.#keys = isUnordered ? new UnorderedKeys() : new DictionaryWriter()
    this.#versions = new Growing((length) => new Float64Array(length), rows)
  }

  /** The number of rows. */
  get size(): number {
    return this.#size
  }

  /** Adds the next row: unless any order is allowed, in that of keys, and of versions for one key. */
  add({ key, validFrom, values }: SegmentRow): void {
    this.#keys?.add(key)
    this.#versions.push(validFrom)
    if (validFrom < this.#first) this.#first = validFrom
    if (validFrom > this.#last) this.#last = validFrom
    for (let index = 0; index < this.#columns.length; index += 1) {
      this.#columns[index]?.add(values[index])
    }
    this.#size += 1
  }

  /** Throws `RepeatedKey` if rows in any order have a common key. */
  finish(): BuiltSegment {
    const image = new ImageWriter()
    const order = this.#keys instanceof UnorderedKeys ? this.#keys.sort() : undefined
    if (this.#keys instanceof UnorderedKeys) {
      this.#options.maxTextLength = maxTextLengthOf(this.#size)
    }
    const place: SegmentPlace = {
      size: this.#size,
      keys: (this.#keys ?? new DictionaryWriter()).finish(image),
      added: this.#finishVersions(image),
      columns: this.#specs.map((spec, index) => ({
        spec,
        values: this.#columns[index]?.finish(image, order),
        postings: this.#columns[index]?.finishTerms?.(image),
      })),
    }
    return { buffer: image.finish(), place }
  }

  #finishVersions(image: ImageWriter): SegmentPlace['added'] {
    const [first, last] = this.#size === 0 ? [0, 0] : [this.#first, this.#last]
    if (first === last) return { first, last, distances: undefined }
    const range = { isWhole: true, min: 0, max: last - first }
    const distances = this.#versions.array.map((version) => version - first)
    return { first, last, distances: image.addNumbers(distances, range) }
  }
}
