/** The parts of pages over several object types. See core/pages/read-set-page.ts. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { OrderValues, PartSearch, PartTable, RowHandle } from '../../core/pages/merge-parts.ts'
import { readSetPage as readParts, type SetReader } from '../../core/pages/read-set-page.ts'
import { awaited, type Operation, runAwaited } from '../../core/session/session.ts'
import type { ReadPageRequest, Reclaimed, RecordSpec } from '../../object-store.ts'
import {
  partRequest,
  type ReadSetPageRequest,
  type SetOrderTerm,
  type SetPagePart,
  type StoredSetPage,
} from '../../port/pages.ts'
import { STORED_BYTES } from '../../sql/compile/record-sql.ts'
import { combine, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import { readableVersion } from '../../sql/plan/plan-rules.ts'
import { arrayText, columnType } from '../catalogue/column-codec.ts'
import {
  findTypeHead,
  readTypeHead,
  type TypeHead,
  tableOfRow,
  tableOfVersion,
} from '../catalogue/type-head.ts'
import { freeRows } from '../driver/byte-rows.ts'
import type { Session } from '../driver/database.ts'
import { readQuerySql } from '../queries/find-rows.ts'
import { type LinksStore, readLinkedTables, visibleSql } from '../queries/queried-types.ts'
import { recordSql } from './page-sql.ts'
import { type PoolName, planPage, poolOf, textPropertiesOf } from './plan-page.ts'
import { countTotal, readPage } from './read-page.ts'

/** Returns the pool of a page. A merge reads a page of each part. Any text may be long. */
export function poolOfSet(request: ReadSetPageRequest): PoolName {
  const isQuickPart = (part: SetPagePart) =>
    poolOf(partRequest(request, part), textPropertiesOf(part.objectType)) === 'quick'
  return request.order.length === 0 && request.parts.every(isQuickPart) ? 'quick' : 'slow'
}

export async function readSetPage(
  session: Session,
  request: ReadSetPageRequest,
  store: LinksStore,
): Promise<StoredSetPage | Reclaimed> {
  const page = await runAwaited(readParts(new PostgresSetReader(session, store), request))
  if (page === undefined) throw new Error('every node can read every page')
  return page
}

class PostgresSetReader implements SetReader<TypeHead> {
  readonly #session: Session
  readonly #store: LinksStore

  constructor(session: Session, store: LinksStore) {
    this.#session = session
    this.#store = store
  }

  readHead(type: ObjectType, isLinked: boolean): Operation<TypeHead> {
    return awaited((isLinked ? findTypeHead : readTypeHead)(this.#session, type))
  }

  readPage(request: ReadPageRequest, head: TypeHead) {
    return awaited(readPage(this.#session, request, head, this.#store))
  }

  searchPart(request: ReadPageRequest, head: TypeHead): Operation<PartSearch | Reclaimed> {
    return awaited(this.#searchPart(request, head))
  }

  async #searchPart(request: ReadPageRequest, head: TypeHead): Promise<PartSearch | Reclaimed> {
    const [session, store] = [this.#session, this.#store]
    const { objectType, query } = request
    const version = readableVersion(request, head)
    if (version === undefined) return 'reclaimed'
    const table = await tableOfVersion(session, head, version, { objectType })
    const state = { version, isLatest: version === head.published, table }
    const fields = await store.fields.read(session, head, objectType, table)
    const plan = planPage(request, state, { ...store.capabilities, fields })
    const links = await readLinkedTables(session, request, { head, version }, store)
    if (links === 'reclaimed') return links
    const condition = await readQuerySql(session, query, fields, links)
    const visible = visibleSql(plan.visibility, version)
    const matching = combine('and', [visible, condition])
    return {
      table: objectTable(table.table),
      numbers: fields.numbers,
      visible,
      condition,
      isMeasured: plan.budget !== undefined,
      countTotal: () => awaited(countTotal(session, plan, condition, matching)),
    }
  }

  tableOfRow(head: TypeHead, version: number, type: ObjectType): Operation<PartTable | undefined> {
    return awaited(this.#tableOfRow(head, version, type))
  }

  async #tableOfRow(head: TypeHead, version: number, type: ObjectType) {
    const table = await tableOfRow(this.#session, head, version, type)
    if (table === undefined) return undefined
    const { numbers } = await this.#store.fields.read(this.#session, head, type, head.current)
    return { table: objectTable(table), numbers }
  }

  readonly rowHandle = 'o.pk'
  readonly storedBytes = STORED_BYTES

  rows({ sql, values }: SqlCondition) {
    return awaited(this.#session.query(sql, values))
  }

  *values(statement: SqlCondition): Operation<OrderValues | undefined> {
    const [row] = yield* this.rows(statement)
    return row as OrderValues | undefined
  }

  records(search: PartSearch, record: RecordSpec, handles: readonly RowHandle[]) {
    return awaited(this.#records(search, record, handles.map(String)))
  }

  async #records({ table, visible }: PartSearch, record: RecordSpec, keys: readonly string[]) {
    const { sql, values } = recordSql(record)
    const found = await this.#session.queryBytes(
      `SELECT o.pk, ${sql} FROM ${table} AS o WHERE o.pk = ANY(?::text[]) AND ${visible.sql}`,
      [...values, arrayText('text', keys), ...visible.values],
    )
    const records = found.flatMap(([pk, bytes]): [string, Uint8Array][] =>
      pk && bytes ? [[pk.toString(), Uint8Array.from(bytes)]] : [],
    )
    freeRows(found)
    return records
  }

  nullOf({ type }: SetOrderTerm): string {
    const name = columnType(type)
    return name === 'text' ? 'NULL::text COLLATE "C"' : `NULL::${name}`
  }
}
