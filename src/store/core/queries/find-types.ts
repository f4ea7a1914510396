/**
 * Finds the object types of objects that are named by id or by key alone. An id belongs to one type, so
 * each table is searched only for the ids that no other table had, and the search ends when none is left.
 */
import type { FindTypesOfIds, FindTypesOfKeys, FindTypesRequest } from '../../port/objects.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { Operation } from '../session/session.ts'

/** A table of current objects. */
export interface SearchedTable {
  readonly typeRid: string
  /** The rows to read if the whole table is read. */
  readonly rows: number
  /** Selects the ids of all objects. */
  readonly allIds: SqlCondition
  /** Selects the ids of those objects that have one of the given ids. */
  readonly listedIds: (ids: readonly string[]) => SqlCondition
  /** Selects the id of the object with a stored key. */
  readonly idOfKey: (pk: string) => SqlCondition
}

/** How a database searches its tables. */
export interface TypeSearcher {
  /** Returns the tables of types that have objects. */
  readTables(typeRids: readonly string[]): Operation<SearchedTable[]>
  /** Returns rows of the index of a table, and an id. */
  readIds(statement: SqlCondition): Operation<Iterable<readonly unknown[]>>
}

/** Tables and rows that one statement reads: a few milliseconds. */
const MAX_TABLES = 100
const MAX_ROWS = 5000

/** Returns the RIDs of types; undefined if the search may read more rows than allowed. */
export function* findTypes(
  searcher: TypeSearcher,
  request: FindTypesRequest,
  maxRows = Infinity,
): Operation<string[] | undefined> {
  return 'keys' in request
    ? yield* findTypesOfKeys(searcher, request)
    : yield* findTypesOfIds(searcher, request, maxRows)
}

/** Looks up one row in each table. */
function* findTypesOfKeys(searcher: TypeSearcher, { keys }: FindTypesOfKeys): Operation<string[]> {
  const pks = new Map(keys.map(({ typeRid, pk }) => [typeRid, pk]))
  const tables = yield* searcher.readTables([...pks.keys()])
  const typeRids: string[] = []
  for (let from = 0; from < tables.length; from += MAX_TABLES) {
    const some = tables.slice(from, from + MAX_TABLES)
    const lookups = some.map((table) => table.idOfKey(pks.get(table.typeRid) ?? ''))
    for (const [index] of yield* searcher.readIds(idsOfAll(lookups))) {
      const typeRid = some[Number(index)]?.typeRid
      if (typeRid !== undefined) typeRids.push(typeRid)
    }
  }
  return typeRids
}

/** Selects the ids of several statements, each with the index of its statement. */
function idsOfAll(statements: readonly SqlCondition[]): SqlCondition {
  const selects = statements.map(
    ({ sql }, index) => `SELECT ${index}, object_id FROM (${sql}) AS searched`,
  )
  return {
    sql: selects.join(' UNION ALL '),
    values: statements.flatMap(({ values }) => values),
  }
}

function* findTypesOfIds(
  searcher: TypeSearcher,
  { ids: listed, typeRids, maxTypes }: FindTypesOfIds,
  maxRows: number,
): Operation<string[] | undefined> {
  const ids = new Set(listed)
  const found = new Set<string>()
  const isDone = () => ids.size === 0 || found.size >= maxTypes
  // Tables that are likely to have the most of the ids come first: at the end of the list.
  const waiting = (yield* searcher.readTables(typeRids)).sort((a, b) => a.rows - b.rows)
  if (waiting.reduce((sum, { rows }) => sum + Math.min(rows, ids.size), 0) > maxRows) {
    return undefined
  }
  while (!isDone() && waiting.length > 0) {
    const tables = nextTables(waiting, ids.size)
    const statements = tables.map((table) =>
      isReadWhole(table, ids.size) ? table.allIds : table.listedIds([...ids]),
    )
    for (const [index, id] of yield* searcher.readIds(idsOfAll(statements))) {
      const typeRid = tables[Number(index)]?.typeRid
      if (typeRid !== undefined && !isDone() && ids.delete(String(id))) found.add(typeRid)
    }
  }
  return [...found]
}

/** True if reading all rows of a table takes fewer steps than looking up all ids. */
function isReadWhole({ rows }: SearchedTable, ids: number): boolean {
  return rows <= ids
}

/** Takes one table that is searched by id, or some small ones that are read as a whole. */
function nextTables(waiting: SearchedTable[], ids: number): SearchedTable[] {
  const tables: SearchedTable[] = []
  let rows = 0
  for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
    rows += next.rows
    if (tables.length > 0 && (tables.length >= MAX_TABLES || rows > MAX_ROWS)) break
    waiting.pop()
    tables.push(next)
    if (!isReadWhole(next, ids)) break
  }
  return tables
}
