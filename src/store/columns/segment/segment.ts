/**
 * A segment: row versions of one object table in key order, as columns. It never changes. The first
 * segment of a table holds the objects of one version; further ones hold the rows that were added
 * since. Which rows were closed since is kept beside it, see `Closings`.
 */
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import { type Bits, bitsFor, clearBit, fillBits } from '../image/bits.ts'
import { Dictionary, type DictionaryPlace } from '../image/dictionary.ts'
import { arrayAt, type NumberArray, numbersAt, type Place } from '../image/image.ts'
import { type Column, type ColumnPlace, type ColumnSpec, columnAt } from './column.ts'
import { Postings, type PostingsPlace } from './postings.ts'

/** Where the parts of a segment lie in its image: plain data. */
export interface SegmentPlace {
  readonly size: number
  /** The row ids. */
  readonly rows: Place
  /** Every nth key, from the first one on. A segment of added rows has all keys. */
  readonly keys: DictionaryPlace
  readonly keyStep: number
  /** Of a segment of added rows: the version that added each. */
  readonly versions: Place<'f64'> | undefined
  /** Of a segment of added rows: how many rows of the first segment have a smaller key. */
  readonly ranks: Place<'u32'> | undefined
  readonly columns: readonly PlacedColumn[]
}

export interface PlacedColumn {
  readonly spec: ColumnSpec
  /** Undefined if the values are too large; the database answers questions about them. */
  readonly values: ColumnPlace | undefined
  /** Of texts. */
  readonly postings: PostingsPlace | undefined
}

/** The rows of a segment that were closed: the position, and the version that closed it. */
export interface Closings {
  readonly positions: Uint32Array
  /** Ascending. */
  readonly versions: Float64Array
}

export class Segment {
  readonly size: number
  readonly rows: NumberArray
  readonly keys: Dictionary
  readonly keyStep: number
  readonly ranks: Uint32Array | undefined
  readonly #versions: Float64Array | undefined
  readonly #buffer: SharedArrayBuffer
  readonly #placed: ReadonlyMap<string, PlacedColumn>
  readonly #columns = new Map<string, Column | undefined>()
  readonly #postings = new Map<string, Postings | undefined>()

  constructor(buffer: SharedArrayBuffer, place: SegmentPlace) {
    this.size = place.size
    this.rows = numbersAt(buffer, place.rows)
    this.keys = new Dictionary(buffer, place.keys)
    this.keyStep = place.keyStep
    this.ranks = place.ranks && arrayAt(buffer, place.ranks)
    this.#versions = place.versions && arrayAt(buffer, place.versions)
    this.#buffer = buffer
    this.#placed = new Map(place.columns.map((column) => [fieldKey(column.spec), column]))
  }

  get bytes(): number {
    return this.#buffer.byteLength
  }

  /** Returns undefined if the segment does not hold the values of a field. */
  column(field: FieldId): Column | undefined {
    const key = fieldKey(field)
    if (!this.#columns.has(key)) {
      const values = this.#placed.get(key)?.values
      this.#columns.set(key, values && columnAt(this.#buffer, values))
    }
    return this.#columns.get(key)
  }

  postings(field: FieldId): Postings | undefined {
    const key = fieldKey(field)
    if (!this.#postings.has(key)) {
      const place = this.#placed.get(key)?.postings
      this.#postings.set(key, place && new Postings(this.#buffer, place, this.size))
    }
    return this.#postings.get(key)
  }

  /** Returns the rows that are visible at a version. */
  visibleAt(version: number, closings: Closings): Bits {
    const bits = bitsFor(this.size)
    fillBits(bits, this.size)
    const added = this.#versions
    if (added !== undefined) {
      for (let position = 0; position < this.size; position += 1) {
        if ((added[position] as number) > version) clearBit(bits, position)
      }
    }
    for (let at = 0; at < closings.positions.length; at += 1) {
      if ((closings.versions[at] as number) > version) break
      clearBit(bits, closings.positions[at] as number)
    }
    return bits
  }
}
