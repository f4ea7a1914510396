/**
 * Lists of all rows that match a query, in key order, shared by the pages of a walk. Without a list,
 * each page would gather all matches from indexes that are not in key order.
 *
 * The version is part of a list's key, so a list is never stale. A list is built on the second
 * request for its version: if commits happen between the pages of a walk, each page has a version of
 * its own, and a list would serve no other page.
 */
import { LRUCache } from 'lru-cache'
import type { Query } from '../../../query/query.ts'
import { plainQuery } from '../../../query/query-tree.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { StatementCache } from '../file/sqlite-session.ts'
import { findRowsSql, type RowSearch } from './find-rows.ts'
import type { QueryTables } from './query-tables.ts'

const MAX_BYTES = 32 * 1024 * 1024
const MAX_LENGTH = 2_000_000
/** What an entry takes besides its row ids and its key; a rough measure. */
const ENTRY_BYTES = 500

type Entry = Float64Array | 'requestedOnce' | 'tooLong'

export interface ListedPage {
  readonly version: number
  readonly afterKey: string
  readonly limit: number
  /** Whether the matches are sorted; otherwise an index returns them in key order. */
  readonly sortMatches: boolean
  readonly alternatives?: readonly Query[] | undefined
}

export class MatchLists {
  readonly #lists = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    // The key contains the query, which can be long.
    sizeCalculation: (entry, key) =>
      ENTRY_BYTES + 2 * key.length + (typeof entry === 'string' ? 0 : entry.byteLength),
  })
  readonly #maxLength: number

  constructor(maxLength = MAX_LENGTH) {
    this.#maxLength = maxLength
  }

  /** Returns the ids of the rows after a key, or undefined if there is no list. */
  rowsAfter(
    statements: StatementCache,
    search: RowSearch,
    tables: QueryTables,
    { version, afterKey, limit, ...how }: ListedPage,
  ): readonly number[] | undefined {
    const key = JSON.stringify([
      search.table,
      version,
      plainQuery(search.query),
      linkedVersionsOf(search),
    ])
    let entry = this.#lists.get(key)
    if (entry === undefined) {
      this.#lists.set(key, 'requestedOnce')
      return undefined
    }
    if (entry === 'requestedOnce') {
      entry = this.#gather(statements, search, tables, how)
      this.#lists.set(key, entry)
    }
    if (typeof entry === 'string') return undefined
    const start = indexAfter(statements, search.table, entry, afterKey)
    return [...entry.subarray(start, start + limit)]
  }

  #gather(
    statements: StatementCache,
    search: RowSearch,
    tables: QueryTables,
    how: Pick<ListedPage, 'sortMatches' | 'alternatives'>,
  ): Entry {
    const limit = this.#maxLength + 1
    const { sql, values } = findRowsSql(search, tables, { ...how, cursor: undefined, limit })
    const rows: number[] = []
    for (const row of statements.prepare(sql).iterate(...values)) {
      rows.push((row as [number])[0])
    }
    return rows.length > this.#maxLength ? 'tooLong' : Float64Array.from(rows)
  }
}

function linkedVersionsOf({ versions }: RowSearch): number[] {
  return [...versions.values()].map(({ version }) => version)
}

/** A binary search. The database compares the keys, because it orders them by their UTF-8 bytes. */
function indexAfter(
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
    const [isAfter] = compare.get(afterKey, list[middle] ?? 0) as [number]
    if (isAfter === 1) to = middle
    else from = middle + 1
  }
  return from
}
