/** The parts of pages over several object types. See core/pages/read-set-page.ts. */
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { OrderValues, PartSearch, RowHandle } from '../../core/pages/merge-parts.ts'
import { readSetPage as readParts, type SetReader } from '../../core/pages/read-set-page.ts'
import { bytes, integer, type Operation, runNow, settled } from '../../core/session/session.ts'
import type { ReadPageRequest, Reclaimed, RecordSpec, StoredPage } from '../../object-store.ts'
import type { ReadSetPageRequest, StoredSetPage } from '../../port/pages.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import {
  readTypeHead,
  readVersions,
  type TableHead,
  type TypeHead,
  tableOfRow,
  VISIBLE,
  visibilityValues,
} from '../catalogue/type-head.ts'
import { ROW_BYTES } from '../file/row-texts.ts'
import { querySql } from '../queries/query-sql.ts'
import { queryTables, walking } from '../queries/query-tables.ts'
import { inReadTransaction, type ReadConnection } from '../queries/read-connection.ts'
import { countTotal } from './find-matches.ts'
import { recordSql } from './page-sql.ts'
import { type PlanSite, planPage } from './plan-page.ts'
import { ownVersion, runPlan } from './read-page.ts'
import { rowStatistics } from './row-statistics.ts'

/** Reads a page, however long it takes. For reader processes. */
export function readSetPage(
  connection: ReadConnection,
  request: ReadSetPageRequest,
): StoredSetPage | Reclaimed {
  const page = readPage(connection, request, () => ({ thread: 'reader' }))
  if (page === undefined) throw new Error('a reader process can read every page')
  return page
}

/** Reads a page on the main thread; undefined if a reader process must read it. */
export function readQuickSetPage(
  connection: ReadConnection,
  request: ReadSetPageRequest,
): StoredSetPage | Reclaimed | undefined {
  // A merge reads a page of each part.
  if (request.order.length > 0) return undefined
  return readPage(connection, request, (part, head, table) => ({
    thread: 'main',
    statistics: () => rowStatistics(connection, part, head, table),
  }))
}

type SiteOf = (part: ReadPageRequest, head: TypeHead, table: TableHead) => PlanSite

function readPage(connection: ReadConnection, request: ReadSetPageRequest, siteOf: SiteOf) {
  return inReadTransaction(connection, () =>
    runNow(readParts(new SqliteSetReader(connection, siteOf), request)),
  )
}

class SqliteSetReader implements SetReader<TypeHead> {
  readonly #connection: ReadConnection
  readonly #siteOf: SiteOf

  constructor(connection: ReadConnection, siteOf: SiteOf) {
    this.#connection = connection
    this.#siteOf = siteOf
  }

  readHead(type: ReadPageRequest['objectType']): Operation<TypeHead> {
    return settled(readTypeHead(this.#connection.statements, type))
  }

  readPage(
    request: ReadPageRequest,
    head: TypeHead,
  ): Operation<StoredPage | Reclaimed | undefined> {
    const versions = readVersions(this.#connection.statements, request, head)
    if (versions === 'reclaimed') return settled(versions)
    const state = ownVersion(versions, request)
    const site = this.#siteOf(request, head, state.table)
    const plan = planPage(request, state, site)
    if (plan.thread !== site.thread) return settled(undefined)
    return settled(runPlan(this.#connection, request, { head, versions }, plan))
  }

  searchPart(
    request: ReadPageRequest,
    head: TypeHead,
  ): Operation<PartSearch | Reclaimed | undefined> {
    const { statements, fields } = this.#connection
    const versions = readVersions(statements, request, head)
    if (versions === 'reclaimed') return settled(versions)
    const plan = planPage(request, ownVersion(versions, request), { thread: 'reader' })
    const { visibility, version } = plan
    const { table, layout, isCreated } = plan.table
    if (!isCreated) return settled(undefined)
    const numbers = fields.read(head, layout)
    const visibleValues = visibilityValues(visibility, version)
    const search = { ...request, table, numbers, visibility, visibleValues, versions }
    const tables = queryTables(this.#connection, search)
    return settled({
      table: objectTable(table),
      numbers,
      visible: { sql: VISIBLE[visibility], values: visibleValues },
      // An index has the order of the page, so each type is read up to the limit.
      condition: querySql(request.query, walking(tables)),
      isMeasured: plan.budget !== undefined,
      countTotal: () => settled(countTotal(statements, search, tables, plan)),
    })
  }

  tableOfRow(head: TypeHead, version: number, type: ReadPageRequest['objectType']) {
    const { statements, fields } = this.#connection
    const found = tableOfRow(statements, head, version, type)
    const of = found && {
      table: objectTable(found.table),
      numbers: fields.read(head, found.layout),
    }
    return settled(of)
  }

  readonly rowHandle = 'o.id'
  readonly storedBytes = ROW_BYTES

  rows({ sql, values }: SqlCondition) {
    return settled(this.#connection.statements.prepare(sql).all(...values))
  }

  values({ sql, values }: SqlCondition) {
    const statement = this.#connection.statements.prepare(sql)
    statement.setReadBigInts(true)
    return settled(statement.get(...values) as OrderValues | undefined)
  }

  records({ table }: PartSearch, record: RecordSpec, handles: readonly RowHandle[]) {
    const { sql, values } = recordSql(record)
    const statement = this.#connection.statements.prepare(
      `SELECT o.id, CAST(${sql} AS BLOB) FROM json_each(?) AS listed
       CROSS JOIN ${table} AS o ON o.id = listed.value`,
    )
    const rows = statement.all(...values, JSON.stringify(handles))
    return settled(rows.map(([id, found]) => [integer(id), bytes(found)] as const))
  }

  nullOf(): string {
    return 'NULL'
  }
}
