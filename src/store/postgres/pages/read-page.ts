import { bytesOfShape } from '../../../contract/object-record.ts'
import type { Query } from '../../../query/query.ts'
import type { PageRead, Reclaimed, StoredPage } from '../../object-store.ts'
import { fewMatches } from '../../sql/few-matches.ts'
import { orderArms, orderColumn } from '../../sql/order-sql.ts'
import { combine, type SqlCondition } from '../../sql/sql-condition.ts'
import { type TableHead, type TypeHead, tableOfVersion } from '../catalogue/type-head.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { ByteRow } from '../driver/byte-rows.ts'
import type { Session } from '../driver/database.ts'
import {
  countCurrentRows,
  countRows,
  estimateRows,
  exactQuerySql,
  knownTypeFields,
  readAnchor,
  readQuerySql,
  readTypeFields,
} from '../queries/find-rows.ts'
import { bytesUpTo, type PageRows, shownRows, toPageRows } from './page-rows.ts'
import { type PageSqlWish, pageSql, SHOWN_VALUES, type Visibility, visibleSql } from './page-sql.ts'

/**
 * Reads one page. All that it looks at (the newest version, the count, the rows, whether more
 * follow) is read in one transaction and therefore of one moment.
 */

/** The objects of one version: in which table, and which of its rows. */
interface Viewed extends TableHead {
  readonly version: number
  readonly visibility: Visibility
  readonly visible: SqlCondition
}

/** Reads a page where it is known how the type stands, in the transaction that told. */
export async function readPage(
  session: Session,
  read: PageRead,
  head: TypeHead,
  { readsCurrentRows }: Pick<Capabilities, 'readsCurrentRows'>,
): Promise<StoredPage | Reclaimed> {
  const version = read.version ?? head.published
  // A version from before what is kept, or from a database that was since replaced by an older one.
  if (version < head.oldest || version > head.published) return 'reclaimed'
  // The newest version is what the current rows are, and these have an index of their own.
  const visibility = readsCurrentRows && version === head.published ? 'current' : 'version'
  const viewed: Viewed = {
    ...(await tableOfVersion(session, head, version)),
    version,
    visibility,
    visible: visibleSql(visibility, version),
  }
  return isPlain(read)
    ? readInKeyOrder(session, read, viewed)
    : readFound(session, read, head, viewed)
}

/** Whether every object is wanted, in key order: the walk that must cost no more than its bytes. */
export function isPlain({ query, order }: PageRead): boolean {
  return query.kind === 'everything' && order.length === 0
}

async function readInKeyOrder(
  session: Session,
  read: PageRead,
  viewed: Viewed,
): Promise<StoredPage> {
  const page = await readRows(session, read, viewed, [keyOrderWish(read, viewed.visible)])
  return { ...page, version: viewed.version, matches: viewed.liveCount }
}

export function keyOrderWish({ after }: PageRead, visible: SqlCondition, { text } = SHOWN_VALUES) {
  const afterKey = { sql: `o.pk > ${text}`, values: [after?.pk ?? ''] }
  return { where: combine('and', [visible, afterKey]), orderBy: 'o.pk', isKeyOrder: true }
}

/** The rows of a page in key order, where nothing has to be looked up before; else undefined. */
export function wishAtOnce(
  read: PageRead,
  head: TypeHead,
  visible: SqlCondition,
): Omit<PageSqlWish, 'table' | 'record' | 'maxObjects' | 'budget'> | undefined {
  const { query, order, after, matches, countsMatches } = read
  const fields = knownTypeFields(head, read.objectType)
  const mustCount = countsMatches && matches === undefined
  if (fields === undefined || order.length > 0 || mustCount || isPlanOpen(read)) return undefined
  const matching = exactQuerySql(query, fields)
  const [arm] = orderArms([], after && { pk: after.pk, values: [] })
  if (matching === undefined || arm === undefined) return undefined
  const where = combine('and', [visible, matching, arm])
  return { where, orderBy: arm.orderBy, isKeyOrder: false }
}

/** What a query finds, in any order. */
async function readFound(
  session: Session,
  read: PageRead,
  head: TypeHead,
  viewed: Viewed,
): Promise<StoredPage | Reclaimed> {
  const { query, order, after } = read
  const fields = await readTypeFields(session, head, read.objectType)
  const anchor = after && (await readAnchor(session, order, fields.numbers, head, after))
  if (after !== undefined && anchor === undefined) return 'reclaimed'

  const asked = await readQuerySql(session, query, fields)
  const matching = combine('and', [viewed.visible, asked])
  const matches = read.matches ?? (await countMatches(session, read, viewed, asked, matching))
  // The database cannot tell how rare a word is; walking the key for a rare one takes for ever.
  const sortsMatches =
    isPlanOpen(read) &&
    matches !== undefined &&
    matches <= fewMatches(read.maxObjects, viewed.liveCount)
  const columns = order.map((term) => orderColumn(term, fields.numbers))
  const arms = orderArms(columns, anchor).map((arm) => ({
    where: combine('and', [matching, arm]),
    orderBy: sortsMatches ? `o.pk || ''` : arm.orderBy,
    isKeyOrder: false,
  }))
  const page = await readRows(session, read, viewed, arms)
  return { ...page, version: viewed.version, matches }
}

async function countMatches(
  session: Session,
  read: PageRead,
  { table, liveCount, visibility }: Viewed,
  asked: SqlCondition,
  matching: SqlCondition,
): Promise<number | undefined> {
  if (read.query.kind === 'everything') return liveCount
  if (read.countsMatches) {
    return visibility === 'current'
      ? countCurrentRows(session, table, asked)
      : countRows(session, table, matching)
  }
  if (!isPlanOpen(read)) return undefined
  return estimateRows(session, table, matching, fewMatches(read.maxObjects, liveCount) + 1)
}

/** Whether it depends on the number of matches how they are best found. */
function isPlanOpen({ query, order }: PageRead): boolean {
  const isWord = ({ kind }: Query) => kind === 'text' || kind === 'withinPolygon'
  return order.length === 0 && (query.kind === 'and' ? query.of.some(isWord) : isWord(query))
}

/** The records of the rows of several queries, one query after the other until the page is full. */
async function readRows(
  session: Session,
  read: PageRead,
  { table, maxRecordBytes }: TableHead,
  queries: readonly Pick<PageSqlWish, 'where' | 'orderBy' | 'isKeyOrder'>[],
): Promise<PageRows> {
  const { record, maxObjects, maxBytes } = read
  const fits = fitsSurely(read, maxRecordBytes)
  const shown: ByteRow[] = []
  for (const query of queries) {
    const budget = fits
      ? undefined
      : { bytes: maxBytes - bytesUpTo(shown.at(-1)), owesFirst: shown.length === 0 }
    const wish = { ...query, table, record, maxObjects: maxObjects - shown.length, budget }
    const { sql, values } = pageSql(wish)
    const rows = await session.queryBytes(sql, values, { name: read.query.kind === 'everything' })
    const some = shownRows(rows, wish.maxObjects)
    shown.push(...some)
    if (some.length < rows.length) return toPageRows(shown, true, record)
  }
  return toPageRows(shown, false, record)
}

/** The type's largest record is known, so for small objects there is nothing to measure. */
export function fitsSurely({ record, maxObjects, maxBytes }: PageRead, maxRecordBytes: number) {
  return (maxRecordBytes + bytesOfShape(record.shape)) * maxObjects <= maxBytes
}
