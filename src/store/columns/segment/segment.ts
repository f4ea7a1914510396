/**
 * A segment: row versions of one object table in key order, as columns. It never changes. The first
 * segment of a table holds the objects of one version; further ones hold the rows that were added
 * since. Which rows were closed since is kept beside it, see `Closings`.
 */
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import { type Bits, bitsFor, clearBit, fillBits } from '../arrays/bits.ts'
import { Dictionary, type DictionaryPlace } from '../arrays/dictionary.ts'
import { type NumberArray, numbersAt, type Place } from '../arrays/shared-arrays.ts'
import { type Column, type ColumnPlace, type ColumnSpec, columnAt } from './column.ts'
import { Postings, type PostingsPlace } from './postings.ts'

/** Where the parts of a segment lie in its image: plain data. */
export interface SegmentPlace {
  readonly size: number
  /** None if the segment has only values. */
  readonly keys: DictionaryPlace
  /** The versions that added the rows: the first of them, the last, and the distances to the first. */
  readonly added: {
    readonly first: number
    readonly last: number
    /** Undefined if one version added all rows. */
    readonly distances: Place | undefined
  }
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
  readonly keys: Dictionary
  readonly #added: SegmentPlace['added']
  readonly #distances: NumberArray | undefined
  readonly #buffer: SharedArrayBuffer
  readonly #placed: ReadonlyMap<string, PlacedColumn>
  readonly #columns = new Map<string, Column | undefined>()
  readonly #postings = new Map<string, Postings | undefined>()

  constructor(buffer: SharedArrayBuffer, place: SegmentPlace) {
    this.size = place.size
    this.keys = new Dictionary(buffer, place.keys)
    this.#added = place.added
    this.#distances = place.added.distances && numbersAt(buffer, place.added.distances)
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
      const placed = this.#placed.get(key)
      const size = placed?.postings?.of === 'codes' ? dictionarySize(placed.values) : this.size
      const place = placed?.postings
      this.#postings.set(key, place && new Postings(this.#buffer, place, size))
    }
    return this.#postings.get(key)
  }

  /** Returns the version that added a row. */
  validFrom(position: number): number {
    return this.#added.first + (this.#distances?.[position] ?? 0)
  }

  /** Returns the positions of the rows with a key: from the first, without the second. */
  rowsWithKey(key: string): readonly [from: number, to: number] {
    const from = this.keys.countBefore(key)
    let to = from
    // Several versions of an object may have been added.
    while (to < this.size && this.keys.at(to) === key) to += 1
    return [from, to]
  }

  /** Returns the position of a row version, or undefined if the segment does not have it. */
  find(key: string, validFrom: number): number | undefined {
    const [from, to] = this.rowsWithKey(key)
    for (let position = from; position < to; position += 1) {
      if (this.validFrom(position) === validFrom) return position
    }
    return undefined
  }

  /** Returns the rows that are visible at a version. */
  visibleAt(version: number, closings: Closings): Bits {
    const bits = bitsFor(this.size)
    fillBits(bits, this.size)
    if (this.#added.last > version) {
      for (let position = 0; position < this.size; position += 1) {
        if (this.validFrom(position) > version) clearBit(bits, position)
      }
    }
    for (let at = 0; at < closings.positions.length; at += 1) {
      if ((closings.versions[at] as number) > version) break
      clearBit(bits, closings.positions[at] as number)
    }
    return bits
  }
}

function dictionarySize(place: ColumnPlace | undefined): number {
  const values = place?.kind === 'list' ? place.values : place
  return values?.kind === 'codes' ? values.dictionary.size : 0
}
