/** Decides whether columns that were built during a load are those of the table that it published. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { PublishedColumns } from '../../port/column-load.ts'
import type { FeedHead } from '../feed/column-feed.ts'
import type { WrittenSegments } from '../file/segment-file.ts'
import type { ColumnSpec } from '../segment/column.ts'
import { columnSpecs } from '../segment/column-specs.ts'
import type { BaseSegments } from '../table/table-columns.ts'

/** What the process that holds columns learns of the file that a load has left. */
export interface LoadContent {
  readonly specs: readonly ColumnSpec[]
  readonly written: WrittenSegments
}

/**
 * Returns what to write at the end of the file; undefined unless the table has exactly its rows. All
 * rows were committed to the table and no two have the same key, so it is enough to count them.
 */
export function describeLoaded(
  { typeRid, replacement, version, rows, content }: PublishedColumns,
  head: FeedHead,
  objectType: ObjectType,
):
  | { readonly written: WrittenSegments; readonly base: Omit<BaseSegments, 'segments'> }
  | undefined {
  const { specs, written } = content as LoadContent
  const { typeId, table, generation, published, liveCount, loadedAs } = head
  const isSameTable = String(table) === replacement && published === version && liveCount === rows
  const source = { typeId, table, specs: columnSpecs(objectType) }
  if (!isSameTable || JSON.stringify(specs) !== JSON.stringify(source.specs)) return undefined
  const added = { first: loadedAs, last: loadedAs, distances: undefined }
  const segments = written.segments.map((segment) => ({
    ...segment,
    place: { ...segment.place, added },
  }))
  const base = { typeRid, source, generation, version, builtAtMs: Date.now() }
  return { written: { ...written, segments }, base }
}
