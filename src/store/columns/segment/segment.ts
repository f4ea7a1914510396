/**
 * A segment: row versions of one object table in key order, as columns. It never changes. The first
 * segment of a table holds the objects of one version; further ones hold the rows that were added
 * since. Which rows were closed since is kept beside it, see `Closings`.
 */
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import { type Bits, bitsFor, clearBit, fillBits } from '../arrays/bits.ts'
import { Dictionary, type DictionaryPlace } from '../arrays/dictionary.ts'
import {
  type Image,
  type NumberArray,
  numbersAt,
  type Place,
  placesIn,
} from '../arrays/shared-arrays.ts'
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

/** What is read from a file at once: the keys, the versions, the values of a field, or its terms. */
export type Part = 'keys' | 'versions' | `${'values' | 'terms'} of ${string}`

/** Returns the places of the arrays of each part. Parts can have arrays in common. */
export function partsOf({
  keys,
  added,
  columns,
}: SegmentPlace): ReadonlyMap<Part, readonly Place[]> {
  const parts: [Part, unknown][] = [
    ['keys', keys],
    ['versions', added],
    ...columns.flatMap(({ spec, values, postings }): [Part, unknown][] => [
      [`values of ${fieldKey(spec)}`, values],
      [`terms of ${fieldKey(spec)}`, postings],
    ]),
  ]
  return new Map(parts.map(([part, places]) => [part, [...placesIn(places)]]))
}

/** Called before a part is used. Throws if it was not read. */
export type OnUse = (part: Part, isRead: boolean) => void

const ALL_ARE_READ: OnUse = (part, isRead) => {
  if (!isRead) throw new Error(`the ${part} were not read`)
}

export class Segment {
  readonly size: number
  onUse = ALL_ARE_READ
  readonly #image: Image
  readonly #place: SegmentPlace
  readonly #placed: ReadonlyMap<string, PlacedColumn>
  /** What was opened, as long as its arrays are read. */
  readonly #opened = new Map<Part, unknown>()

  constructor(image: Image, place: SegmentPlace) {
    this.size = place.size
    this.#image = image
    this.#place = place
    this.#placed = new Map(place.columns.map((column) => [fieldKey(column.spec), column]))
  }

  /** None if the segment has only values. */
  get keys(): Dictionary {
    const { keys } = this.#place
    return this.#open('keys', keys, () => new Dictionary(this.#image, keys))
  }

  /** Returns undefined if the segment does not hold the values of a field. */
  column(field: FieldId): Column | undefined {
    const key = fieldKey(field)
    const values = this.#placed.get(key)?.values
    if (values === undefined) return undefined
    return this.#open(`values of ${key}`, values, () => columnAt(this.#image, values))
  }

  postings(field: FieldId): Postings | undefined {
    const key = fieldKey(field)
    const { postings, values } = this.#placed.get(key) ?? {}
    if (postings === undefined) return undefined
    const size = postings.of === 'codes' ? dictionarySize(values) : this.size
    return this.#open(`terms of ${key}`, postings, () => new Postings(this.#image, postings, size))
  }

  /** Forgets what was opened, because some of its arrays are not in memory any more. */
  close(): void {
    this.#opened.clear()
  }

  #open<Opened>(part: Part, places: unknown, open: () => Opened): Opened {
    const opened = this.#opened.get(part)
    const isRead = opened !== undefined || this.#isRead(places)
    this.onUse(part, isRead)
    if (opened !== undefined) return opened as Opened
    const value = open()
    this.#opened.set(part, value)
    return value
  }

  #isRead(places: unknown): boolean {
    const image = this.#image
    if (image instanceof SharedArrayBuffer) return true
    return placesIn(places).every(({ offset, length }) => length === 0 || image.has(offset))
  }

  /** Returns the version that added a row. */
  validFrom(position: number): number {
    return this.#place.added.first + (this.#distances?.[position] ?? 0)
  }

  get #distances(): NumberArray | undefined {
    const { distances } = this.#place.added
    if (distances === undefined) return undefined
    return this.#open('versions', distances, () => numbersAt(this.#image, distances))
  }

  /** Returns the positions of the rows with a key: from the first, without the second. */
  rowsWithKey(key: string): readonly [from: number, to: number] {
    const { keys } = this
    const from = keys.countBefore(key)
    let to = from
    // Several versions of an object may have been added.
    while (to < this.size && keys.at(to) === key) to += 1
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
    const { first, last } = this.#place.added
    if (last > version) {
      const distances = this.#distances
      for (let position = 0; position < this.size; position += 1) {
        if (first + (distances?.[position] ?? 0) > version) clearBit(bits, position)
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
