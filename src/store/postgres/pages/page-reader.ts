import type { RequestContext } from '../../../admission/request-context.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { PageRead, Reclaimed, StoredPage } from '../../object-store.ts'
import type { PageCache } from '../../page-cache.ts'
import { isQuick } from '../../quick-read.ts'
import { readObjects } from '../catalogue/missing-tables.ts'
import {
  HEAD_TEXT_SQL,
  parseTypeHead,
  readTypeHead,
  type TypeHead,
} from '../catalogue/type-head.ts'
import type { Writable } from '../citus/pending-commit.ts'
import type { ByteRow } from '../driver/byte-rows.ts'
import type { Session } from '../driver/database.ts'
import type { ReaderLane } from '../driver/reader-lane.ts'
import { isMissingTable } from '../driver/store-failure.ts'
import { shownRows, toPageRows } from './page-rows.ts'
import { HIDDEN_VALUES, pageSql, SHOWN_VALUES, visibleSql } from './page-sql.ts'
import { fitsSurely, isPlain, keyOrderWish, readPage, wishAtOnce } from './read-page.ts'

/**
 * Whether a type is so large that its snapshot pages can be planned without their values: of a
 * smaller one, a planner that takes one row in 27 for wanted might rather read and sort all rows
 * than follow the key.
 */
export function isLarge(liveCount: number, maxObjects: number): boolean {
  return liveCount > 1000 && liveCount > 100 * maxObjects
}

/** Whether one object is wanted: how it is found does not depend on which, so one plan serves all. */
function asksForKey({ query, objectType }: PageRead): boolean {
  return (
    query.kind === 'compare' &&
    query.operator === 'eq' &&
    query.field.property === objectType.primaryKey.apiName
  )
}

/**
 * Reads pages in as few round trips as possible. A walk in key order takes one: table and fields are
 * those that were seen last, and the statement that reads them also tells whether they still are the
 * right ones. One statement sees one moment, as a transaction does.
 */
export class PageReader {
  readonly #store: Writable
  readonly #cache: PageCache
  readonly #heads = new WeakMap<ObjectType, TypeHead>()

  constructor(store: Writable, cache: PageCache) {
    this.#store = store
    this.#cache = cache
  }

  async read(read: PageRead, context: RequestContext): Promise<StoredPage | Reclaimed> {
    const { database } = this.#store
    const readWith = async (lane: ReaderLane) => {
      const page = (await this.#readAtOnce(read, lane)) ?? (await this.#readInSteps(read, lane))
      return page === 'reclaimed' ? page : this.#cache.keep(read, page)
    }
    const findWith = (lane: ReaderLane) => this.#findKept(read, lane)
    if (isQuick(read)) {
      return database.readQuickly(
        context,
        async (lane) => (await findWith(lane)) ?? (await readWith(lane)),
      )
    }
    const kept = await database.readQuickly(context, findWith)
    return kept ?? database.readSlowly(context, readWith)
  }

  /** A page that was read before, when the database says that it still is the one to show. */
  async #findKept(read: PageRead, lane: ReaderLane): Promise<StoredPage | undefined> {
    const known = this.#heads.get(read.objectType)
    if (known === undefined) return
    const kept = this.#cache.find(read, read.version ?? known.published)
    if (kept === undefined) return
    let isRight = false
    try {
      const [row] = await this.#ask(lane, HEAD_TEXT_SQL, [read.objectType.rid])
      if (row === undefined) return
      const head = parseTypeHead(String(row[0]))
      this.#heads.set(read.objectType, head)
      const { version = head.published } = read
      const isKnown = head.current.isMade && version >= head.oldest && version <= head.published
      isRight = isKnown && version === kept.version
      return isRight ? kept : undefined
    } finally {
      if (!isRight) kept.release()
    }
  }

  #readInSteps(read: PageRead, lane: ReaderLane): Promise<StoredPage | Reclaimed> {
    const readAsOfOneMoment = async (session: Session) => {
      const head = await readTypeHead(session, read.objectType)
      this.#heads.set(read.objectType, head)
      return readPage(session, read, head, this.#store.capabilities)
    }
    return readObjects(this.#store, read.objectType, readAsOfOneMoment, lane)
  }

  /** Undefined where the last known head is none, or not good enough. */
  async #readAtOnce(read: PageRead, lane: ReaderLane): Promise<StoredPage | undefined> {
    const known = this.#heads.get(read.objectType)
    if (!known?.current.isMade || !this.#store.capabilities.readsCurrentRows) return
    const { table, firstVersion, maxRecordBytes, liveCount } = known.current
    const wanted = read.version ?? known.published
    if (wanted < firstVersion) return
    const fits = fitsSurely(read, maxRecordBytes)
    const isNewest = wanted === known.published
    const plain = isPlain(read)
    const hides = plain && !isNewest && isLarge(liveCount, read.maxObjects)
    const places = hides ? HIDDEN_VALUES : SHOWN_VALUES
    const visible = visibleSql(isNewest ? 'current' : 'version', wanted, places)
    const wish = plain ? keyOrderWish(read, visible, places) : wishAtOnce(read, known, visible)
    if (wish === undefined) return
    const { sql, values } = pageSql({
      ...wish,
      table,
      record: read.record,
      maxObjects: read.maxObjects,
      budget: fits ? undefined : { bytes: read.maxBytes, owesFirst: true },
    })
    const answer = await this.#ask(
      lane,
      `SELECT NULL, NULL, head${fits ? '' : ', NULL'} FROM (${HEAD_TEXT_SQL}) AS head
       UNION ALL (${sql})`,
      [read.objectType.rid, ...values],
      plain || asksForKey(read),
    )
    const headRow = answer.find(([pk]) => pk === null)
    if (headRow === undefined) return
    const head = parseTypeHead(String(headRow[2]))
    this.#heads.set(read.objectType, head)
    const version = read.version ?? head.published
    const isRight =
      head.current.table === table &&
      head.generation === known.generation &&
      head.current.isMade &&
      version >= head.oldest &&
      (isNewest ? version === head.published : version <= head.published) &&
      (!fits || fitsSurely(read, head.current.maxRecordBytes))
    if (!isRight) return
    const rows = answer.filter((row) => row !== headRow)
    const shown = shownRows(rows, read.maxObjects)
    const page = toPageRows(shown, shown.length < rows.length, read.record)
    return { ...page, version, matches: plain ? head.current.liveCount : read.matches }
  }

  async #ask(
    lane: Pick<ReaderLane, 'oneInBytes'>,
    sql: string,
    values: readonly unknown[],
    name = true,
  ): Promise<readonly ByteRow[]> {
    try {
      return await lane.oneInBytes(sql, values, { name })
    } catch (error) {
      // Replaced, and dropped since.
      if (isMissingTable(error)) return []
      throw error
    }
  }
}
