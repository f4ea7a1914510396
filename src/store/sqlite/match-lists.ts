import { RecentMap } from '../../contract/recent-map.ts'
import type { Query } from '../../query/query.ts'
import { findRowsSql, type RowSearch } from './find-rows.ts'
import { objectTable } from './object-table.ts'
import type { QueryTables } from './query-sql.ts'
import type { StatementCache } from './statement-cache.ts'

/**
 * The rows that a question has found, in key order, for the next pages of the same walk. Texts,
 * places and elements are looked up in indexes that know nothing of the order of keys: the whole of
 * what they find must be gathered before the first row can be shown, and would be for every page.
 *
 * A list is kept by its version, so it is never out of date.
 */
export type MatchLists = RecentMap<Float64Array>

const ROOM_BYTES = 32 * 1024 * 1024
/** Longer ones are not made: each of their pages is looked for by itself. */
const LONGEST_LIST = 2_000_000
const TOO_LONG = new Float64Array(0)

export function makeMatchLists(): MatchLists {
  return new RecentMap(ROOM_BYTES, ({ byteLength }) => ENTRY_BYTES + byteLength)
}

/** What an entry takes beside its rows; a rough measure. */
const ENTRY_BYTES = 500

/** Whether a list is of use: its rows come in key order, and are found by an index without it. */
export function hasMatchList({ order, query, objectType }: RowSearch): boolean {
  const isScalar = (property: string) => objectType.properties.get(property)?.type.kind === 'scalar'
  const isGathered = (one: Query): boolean => {
    switch (one.kind) {
      case 'text':
      case 'withinPolygon':
        return true
      case 'compare':
        return one.field.structField !== undefined || !isScalar(one.field.property)
      case 'and':
      case 'or':
        return one.of.some(isGathered)
      case 'not':
        return isGathered(one.of)
      default:
        return false
    }
  }
  return order.length === 0 && isGathered(query)
}

/** The numbers of at most `limit` rows behind a key; undefined where the list would be too long. */
export function listedRows(
  { statements, lists }: { readonly statements: StatementCache; readonly lists: MatchLists },
  search: RowSearch,
  tables: QueryTables,
  wish: { readonly version: number; readonly afterKey: string; readonly limit: number },
): readonly number[] | undefined {
  const name = JSON.stringify([search.table, wish.version, search.query])
  let list = lists.get(name)
  if (list === undefined) {
    list = makeList(statements, search, tables)
    lists.set(name, list)
  }
  if (list === TOO_LONG) return undefined
  const from = placeBehind(statements, search.table, list, wish.afterKey)
  return [...list.subarray(from, from + wish.limit)]
}

function makeList(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
): Float64Array {
  const wish = { anchor: undefined, limit: LONGEST_LIST + 1, areFew: true }
  const { sql, values } = findRowsSql(search, tables, wish)
  const rows: number[] = []
  for (const row of statements.prepare(sql).iterate(...values)) {
    rows.push((row as unknown as [number])[0])
  }
  return rows.length > LONGEST_LIST ? TOO_LONG : Float64Array.from(rows)
}

/** Keys are compared by the database, which orders them by their bytes. */
function placeBehind(
  statements: StatementCache,
  table: number,
  list: Float64Array,
  afterKey: string,
): number {
  const compare = statements.prepare(`SELECT pk > ? FROM ${objectTable(table)} WHERE id = ?`)
  let from = 0
  let to = list.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const [isBehind] = compare.get(afterKey, list[middle] ?? 0) as unknown as [number]
    if (isBehind === 1) to = middle
    else from = middle + 1
  }
  return from
}
