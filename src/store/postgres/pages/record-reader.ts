/** Reads the records of known keys: a page that was found by other means. */
import { isOutdated } from '../../core/catalogue/walks-of-redefined-types.ts'
import type { ReadRecordsRequest, Reclaimed, StoredPage } from '../../object-store.ts'
import { ReadTimer, type RequestContext, reported } from '../../port/request-context.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { byteBudget, readableVersion } from '../../sql/plan/plan-rules.ts'
import { readObjects } from '../catalogue/missing-tables.ts'
import {
  findTableOfVersion,
  findTypeHead,
  type TableHead,
  type TypeHead,
} from '../catalogue/type-head.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { ByteRow } from '../driver/byte-rows.ts'
import type { Session } from '../driver/database.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { fittingRows, listedRecordsSql, toPageRows } from './page-sql.ts'
import type { SeenHeads } from './seen-heads.ts'

export class RecordReader {
  readonly #store: PostgresContext
  readonly #heads: SeenHeads

  constructor(store: PostgresContext, heads: SeenHeads) {
    this.#store = store
    this.#heads = heads
  }

  async read(
    request: ReadRecordsRequest,
    context: RequestContext,
  ): Promise<StoredPage | Reclaimed> {
    const timer = new ReadTimer()
    const { keys, record, maxObjects, version } = request
    const listed = { ...request, keys: keys.slice(0, maxObjects) }
    const rows = await this.#store.database.readQuickly(
      context,
      async (pool) =>
        (await this.#readWithoutTransaction(listed, context, pool)) ??
        (await this.#readInTransaction(listed, context, pool)),
    )
    if (rows === 'reclaimed' || rows.length < listed.keys.length) return 'reclaimed'
    const fitting = fittingRows(rows, maxObjects)
    const page = toPageRows(fitting, fitting.length < keys.length, record)
    const report = timer.report('keyList')
    const found = { ...page, version, totalCount: undefined, matchEstimate: undefined, report }
    return reported(context, found)
  }

  /** Returns undefined if the version is not in the table that was seen last. */
  async #readWithoutTransaction(
    request: ReadRecordsRequest,
    context: RequestContext,
    pool: ReadPool,
  ): Promise<readonly ByteRow[] | undefined> {
    const { objectType } = request
    const { isDistributed } = this.#store.capabilities
    const head = isDistributed
      ? await this.#heads.read(objectType, context, pool)
      : this.#heads.find(objectType)
    const seen = head?.current
    if (head === undefined || seen?.isCreated !== true) return undefined
    const isMeasured = byteBudget(request, seen) !== undefined
    const statement = { ...this.#rowsSql(request, seen), isMeasured, isPrepared: true }
    const answer = isDistributed
      ? await this.#heads.readAt(head, statement, pool)
      : await this.#heads.readWith(statement, objectType, context, pool)
    if (answer === undefined) return undefined
    const { current } = answer.head
    const isSeen = current.table === seen.table && holdsVersion(answer.head, request)
    const isFitting = isMeasured || byteBudget(request, current) === undefined
    return isSeen && isFitting ? answer.rows : undefined
  }

  #readInTransaction(
    request: ReadRecordsRequest,
    context: RequestContext,
    pool: ReadPool,
  ): Promise<readonly ByteRow[] | Reclaimed> {
    const { objectType, isOfDefinition, keys } = request
    const read = async (session: Session) => {
      const head = this.#heads.note(objectType, await findTypeHead(session, objectType), context)
      const version = readableVersion(request, head)
      if (version === undefined) return 'reclaimed'
      const table = await findTableOfVersion(session, head, version, {
        objectType,
        toleratesOldDefinition: isOfDefinition !== true,
      })
      if (!table.isCreated || keys.length === 0) return []
      const { sql, values } = this.#rowsSql(request, table)
      return session.queryBytes(sql, values, { isPrepared: true })
    }
    return readObjects(this.#store, objectType, read, pool)
  }

  /** Reads as of the version, also if it is the latest: the statement then survives a commit. */
  #rowsSql(request: ReadRecordsRequest, table: TableHead): SqlCondition {
    const { isDistributed } = this.#store.capabilities
    const { table: id } = table
    return listedRecordsSql({
      ...request,
      table: id,
      budget: byteBudget(request, table),
      isDistributed,
    })
  }
}

/** True if the current table holds the version, in the form of the request's definition. */
function holdsVersion(
  head: TypeHead,
  { objectType, version }: Pick<ReadRecordsRequest, 'objectType' | 'version'>,
): boolean {
  const isReadable = readableVersion({ version }, head) !== undefined
  const { current, redefined } = head
  return isReadable && version >= current.firstVersion && !isOutdated(redefined, objectType)
}
