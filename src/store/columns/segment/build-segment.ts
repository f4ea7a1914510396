/** Builds a segment from rows in key order. */
import { addDictionary } from '../image/dictionary.ts'
import { ImageWriter } from '../image/image.ts'
import { type ColumnBuilder, columnBuilder, type FieldValue } from './build-column.ts'
import { PostingsBuilder } from './build-postings.ts'
import type { ColumnSpec } from './column.ts'
import type { SegmentPlace } from './segment.ts'

/** A row version. */
export interface SegmentRow {
  readonly row: number
  readonly key: string
  /** What it has in each field, in the order of the specs. */
  readonly values: readonly FieldValue[]
  /** In a segment of added rows: the version that added it, and its place in the first segment. */
  readonly added?: { readonly version: number; readonly rank: number } | undefined
}

export interface SegmentOptions {
  /** The objects of a version, rows that were added since, or values without rows and terms. */
  readonly kind: 'objects' | 'added' | 'values'
  readonly rows: number
}

export interface BuiltSegment {
  readonly buffer: SharedArrayBuffer
  readonly place: SegmentPlace
}

/** The keys between two that are kept are looked up in the database. */
const KEY_STEP = 256

export class SegmentBuilder {
  readonly #specs: readonly ColumnSpec[]
  readonly #columns: readonly ColumnBuilder[]
  readonly #postings: readonly (PostingsBuilder | undefined)[]
  readonly #rows: Float64Array
  readonly #keys: string[] = []
  readonly #keyStep: number
  readonly #versions: Float64Array | undefined
  readonly #ranks: Uint32Array | undefined
  #size = 0
  #maxRow = 0

  constructor(specs: readonly ColumnSpec[], { kind, rows }: SegmentOptions) {
    this.#specs = specs
    this.#columns = specs.map((spec) =>
      columnBuilder(spec, { rows, keepsLongTexts: kind === 'values' }),
    )
    this.#postings = specs.map(({ type, language }) =>
      type === 'string' && kind !== 'values' ? new PostingsBuilder(language) : undefined,
    )
    this.#rows = new Float64Array(rows)
    this.#keyStep = kind === 'added' ? 1 : KEY_STEP
    this.#versions = kind === 'added' ? new Float64Array(rows) : undefined
    this.#ranks = kind === 'added' ? new Uint32Array(rows) : undefined
  }

  add({ row, key, values, added }: SegmentRow): void {
    const position = this.#size
    this.#rows[position] = row
    if (row > this.#maxRow) this.#maxRow = row
    if (position % this.#keyStep === 0) this.#keys.push(key)
    if (added !== undefined && this.#versions !== undefined && this.#ranks !== undefined) {
      this.#versions[position] = added.version
      this.#ranks[position] = added.rank
    }
    for (let index = 0; index < this.#columns.length; index += 1) {
      const value = values[index]
      this.#columns[index]?.add(value)
      if (value !== undefined) this.#postings[index]?.add(position, textsOf(value))
    }
    this.#size += 1
  }

  finish(): BuiltSegment {
    const image = new ImageWriter()
    const size = this.#size
    const place: SegmentPlace = {
      size,
      rows: image.addNumbers(this.#rows.subarray(0, size), {
        isWhole: true,
        min: 0,
        max: this.#maxRow,
      }),
      keys: addDictionary(image, this.#keys, this.#keys.length),
      keyStep: this.#keyStep,
      versions: this.#versions && image.add('f64', this.#versions.subarray(0, size)),
      ranks: this.#ranks && image.add('u32', this.#ranks.subarray(0, size)),
      columns: this.#specs.map((spec, index) => ({
        spec,
        values: this.#columns[index]?.finish(image),
        postings: this.#postings[index]?.finish(image),
      })),
    }
    return { buffer: image.finish(), place }
  }
}

function textsOf(value: FieldValue): readonly string[] {
  return typeof value === 'string' ? [value] : (value as readonly string[])
}
