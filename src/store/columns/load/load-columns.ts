/**
 * Builds columns while objects are loaded, in the thread that parses them, so that the first question
 * after a load finds them. They go to a file in segments, so that memory does not grow with the load.
 * See docs/decisions/041-columns-while-loading.md.
 */
import { randomUUID } from 'node:crypto'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { ColumnLoad, ColumnLoadOptions, LoadedColumns } from '../../port/column-load.ts'
import { SegmentWriter } from '../file/segment-file.ts'
import { SegmentBuilder } from '../segment/build-segment.ts'
import { columnSpecs } from '../segment/column-specs.ts'
import type { LoadContent } from './describe-loaded.ts'
import { KeyRanges } from './key-ranges.ts'
import { storedValues } from './stored-values.ts'

const SEGMENT_ROWS = 1 << 18
/** The length of the bodies after which a segment ends, because its texts are in memory. */
const SEGMENT_LENGTH = 256 * 1024 * 1024
/** The rows for which memory is reserved at first. */
const FIRST_ROWS = 16 * 1024

export function createColumnLoad(objectType: ObjectType, options: ColumnLoadOptions): ColumnLoad {
  return new LoadColumns(objectType, options)
}

class LoadColumns implements ColumnLoad {
  readonly #options: ColumnLoadOptions
  readonly #segmentRows: number
  readonly #specs
  readonly #valuesOf
  readonly #ranges = new KeyRanges()
  #writer: SegmentWriter | undefined
  #builder: SegmentBuilder | undefined
  #length = 0
  #rows = 0

  constructor(objectType: ObjectType, options: ColumnLoadOptions) {
    this.#options = options
    this.#segmentRows = options.segmentRows ?? SEGMENT_ROWS
    this.#specs = columnSpecs(objectType)
    this.#valuesOf = storedValues(objectType, this.#specs)
  }

  add(object: StoredObject): void {
    this.#builder ??= new SegmentBuilder(this.#specs, {
      kind: 'rows',
      rows: FIRST_ROWS,
      maxRows: this.#segmentRows,
      isUnordered: true,
    })
    // The version of all rows is known once they are published.
    this.#builder.add({ key: object.pk, validFrom: 0, values: this.#valuesOf(object) })
    this.#length += object.body.length
    if (this.#builder.size >= this.#segmentRows || this.#length >= SEGMENT_LENGTH)
      this.#endSegment()
  }

  finish(): LoadedColumns | undefined {
    this.#endSegment()
    const writer = this.#writer
    if (writer === undefined) return undefined
    const written = writer.finish()
    this.#writer = undefined
    const content: LoadContent = { specs: this.#specs, written }
    return { name: written.name, rows: this.#rows, content }
  }

  [Symbol.dispose](): void {
    this.#builder = undefined
    this.#writer?.[Symbol.dispose]()
  }

  #endSegment(): void {
    const builder = this.#builder
    if (builder === undefined) return
    this.#builder = undefined
    this.#length = 0
    this.#rows += builder.size
    const segment = builder.finish()
    this.#ranges.add(segment)
    this.#writer ??= new SegmentWriter(this.#options.folder, randomUUID())
    this.#writer.add(segment)
  }
}
