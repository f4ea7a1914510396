import { RecentMap } from '../../../contract/recent-map.ts'
import type { Query } from '../../../query/query.ts'
import { isElement } from '../../sql/query-fields.ts'
import { objectTable } from '../catalogue/object-table.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { findRowsSql, type RowSearch } from '../queries/find-rows.ts'
import type { QueryTables } from '../queries/query-sql.ts'

/**
 * The rows that a question has found, in key order, for the next pages of the same walk. Texts,
 * places and elements are looked up in indexes that know nothing of the order of keys: the whole of
 * what they find must be gathered before the first row can be shown, and would be for every page.
 *
 * A list is kept by its version, so it is never out of date. It is made when a version is asked
 * about for the second time: where commits come between its pages, each page of a walk has a version
 * of its own, and a list would serve no other.
 */
export interface MatchLists {
  readonly kept: RecentMap<Float64Array>
  /** Longer lists are not made: each of their pages is looked for by itself. */
  readonly longest: number
}

const ROOM_BYTES = 32 * 1024 * 1024
const LONGEST_LIST = 2_000_000
/** What an entry takes beside its rows; a rough measure. */
const ENTRY_BYTES = 500
/** Stand for lists that are not there. */
const ASKED_ONCE = new Float64Array(0)
const TOO_LONG = new Float64Array(0)

export function makeMatchLists(longest = LONGEST_LIST): MatchLists {
  const kept = new RecentMap<Float64Array>(ROOM_BYTES, (list) => ENTRY_BYTES + list.byteLength)
  return { kept, longest }
}

/** Whether the rows come in key order, and are gathered by indexes that do not know it. */
export function hasMatchList({ order, query, objectType }: RowSearch): boolean {
  const isGathered = (one: Query): boolean => {
    switch (one.kind) {
      case 'text':
      case 'withinPolygon':
        return true
      case 'compare':
        return isElement(objectType, one.field)
      case 'and':
        return one.of.some(isGathered)
      case 'or':
        return one.of.every(isGathered)
      default:
        // Also what is not such a thing: most objects are not, and walking the key finds them.
        return false
    }
  }
  return order.length === 0 && isGathered(query)
}

/** The numbers of at most `limit` rows behind a key; undefined where there is no list. */
export function listedRows(
  { statements, lists }: { readonly statements: StatementCache; readonly lists: MatchLists },
  search: RowSearch,
  tables: QueryTables,
  wish: { readonly version: number; readonly afterKey: string; readonly limit: number },
): readonly number[] | undefined {
  const name = JSON.stringify([search.table, wish.version, search.query])
  const known = lists.kept.get(name)
  const list = known === ASKED_ONCE ? makeList(statements, search, tables, lists.longest) : known
  if (list !== known || known === undefined) lists.kept.set(name, list ?? ASKED_ONCE)
  if (list === undefined || list === TOO_LONG) return undefined
  const from = placeBehind(statements, search.table, list, wish.afterKey)
  return [...list.subarray(from, from + wish.limit)]
}

function makeList(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  longest: number,
): Float64Array {
  const wish = { anchor: undefined, limit: longest + 1, areFew: true }
  const { sql, values } = findRowsSql(search, tables, wish)
  const rows: number[] = []
  for (const row of statements.prepare(sql).iterate(...values)) {
    rows.push((row as unknown as [number])[0])
  }
  return rows.length > longest ? TOO_LONG : Float64Array.from(rows)
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
