/** Brings columns up to the current version, in steps if many rows have changed. */
import type { ColumnFeed, FeedHead } from '../feed/column-feed.ts'
import { columnSpecs } from '../segment/column-specs.ts'
import type { TableColumns } from '../table/table-columns.ts'

/** With more rows, one step would keep other questions waiting for too long. */
const STEP_ROWS_MAX = 20_000

interface CatchUpOptions {
  readonly onBehind: () => void
  /** Reads the keys of the base, by which closed rows are found, and keeps them in memory. */
  readonly readKeys: () => Promise<Disposable>
}

/**
 * Applies the changes of the versions up to one, or of the first of them if they are many: a large
 * type has many once it is built. Returns false if a new base takes less.
 */
export async function applyNext(
  feed: Pick<ColumnFeed, 'readChanges'>,
  columns: TableColumns,
  published: number,
  { onBehind, readKeys }: CatchUpOptions,
): Promise<boolean> {
  const { seen, base } = columns
  for (let until = published; ; until = seen + Math.floor((until - seen) / 2)) {
    const changes = await feed.readChanges(base.source, seen, until, STEP_ROWS_MAX)
    if (changes !== 'tooMany') {
      using _ = changes.closed.length === 0 ? undefined : await readKeys()
      columns.apply(changes, until)
      return true
    }
    if (columns.needsNewBase || until === seen + 1) return false
    onBehind()
  }
}

/** True if columns are those of the current table, and were made as its definition says. */
export async function fitsDefinition(
  feed: Pick<ColumnFeed, 'readObjectType'>,
  columns: TableColumns,
  { table, generation }: FeedHead,
): Promise<boolean> {
  const { typeRid, source } = columns.base
  if (source.table !== table) return false
  if (columns.generation === generation) return true
  const objectType = await feed.readObjectType(typeRid)
  if (objectType === undefined) return false
  const isSame = JSON.stringify(columnSpecs(objectType)) === JSON.stringify(source.specs)
  if (isSame) columns.generation = generation
  return isSame
}
