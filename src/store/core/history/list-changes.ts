/**
 * Lists the objects that commits have changed between two versions, each once, at its last change.
 *
 * A load or a replacement writes many rows with one version, and no index has them by version. So the
 * list has two stages: up to the last of them it goes by key, through the rows of both versions, and
 * from there on by version, through the indexes of added and closed rows.
 */
import type {
  ListChangesRequest,
  ListedChange,
  ListedChanges,
  Reclaimed,
} from '../../port/pages.ts'
import { NEVER_CLOSED, objectTable } from '../catalogue/object-tables.ts'
import { isAddedAfter } from '../catalogue/version-indexes.ts'
import {
  boolean,
  columnList,
  integer,
  type Operation,
  type Parameter,
  type ReadSession,
  text,
} from '../session/session.ts'
import type { SlowRead } from '../session/store-operations.ts'

type ChangeListing = Omit<ListChangesRequest, 'objectType'> & { readonly typeRid: string }

export const listChanges: SlowRead<ChangeListing, ListedChanges | Reclaimed> = {
  name: 'listChanges',
  *run(session, listing) {
    const range = yield* findRange(session, listing)
    const changes: ListedChange[] = []
    const wanted = () => listing.maxChanges + 1 - changes.length
    if (range.isByKey) changes.push(...(yield* listByKey(session, range, wanted())))
    if (wanted() > 0) changes.push(...(yield* listByVersion(session, range, wanted())))
    // After the rows were read, because they may have been reclaimed meanwhile.
    const type = yield* session.find(
      'SELECT oldest FROM oqs_object_type WHERE rid = ?',
      [listing.typeRid],
      { oldest: integer },
      { isPrepared: true },
    )
    if (type === undefined || listing.since < type.oldest) return 'reclaimed'
    return { changes: changes.slice(0, listing.maxChanges), more: wanted() <= 0 }
  },
}

const TABLE = {
  id: integer,
  firstVersion: integer,
  isCreated: boolean,
  indexedVersion: integer,
} as const

/** The rows of the changes. */
interface Range {
  readonly since: number
  readonly until: number
  readonly after: ListChangesRequest['after']
  /** The tables of both versions; undefined if a table has never had rows. */
  readonly earlier: string | undefined
  readonly later: string | undefined
  /** Whether the list has changes that are listed by key, and those up to which version. */
  readonly isByKey: boolean
  readonly byKeyUntil: number
  /** Whether rows of the later version are listed that the earlier one has, too. */
  readonly includesUnchanged: boolean
  /** The later table, see `TableLayout`. */
  readonly indexedVersion: number
}

function* findRange(
  session: ReadSession,
  { typeRid, since, until, after, includesUnchanged }: ChangeListing,
): Operation<Range> {
  const tables = yield* session.query(
    `SELECT ${columnList(TABLE, 'o')} FROM oqs_object_table AS o
     JOIN oqs_object_type AS t ON t.id = o.object_type_id
     WHERE t.rid = ? AND o.state = 'published' ORDER BY o.first_version DESC`,
    [typeRid],
    TABLE,
    { isPrepared: true },
  )
  const [earlier, later] = [since, until].map((version) =>
    tables.find(({ firstVersion }) => firstVersion <= version),
  )
  const nameOf = (table: typeof later) => (table?.isCreated ? objectTable(table.id) : undefined)
  const isReplaced = earlier?.id !== later?.id
  const { firstVersion = 0, indexedVersion = 0 } = later ?? {}
  const loadedBy = Math.max(isReplaced ? firstVersion : since, indexedVersion)
  const byKeyUntil = includesUnchanged ? until : Math.min(loadedBy, until)
  return {
    since,
    until,
    after,
    earlier: nameOf(earlier),
    later: nameOf(later),
    isByKey:
      (includesUnchanged || byKeyUntil > since) &&
      (after === undefined || after.version <= byKeyUntil),
    byKeyUntil,
    includesUnchanged: includesUnchanged || isReplaced,
    indexedVersion,
  }
}

/** Lists the rows of a load or a replacement, and the objects that the later version lacks. */
function* listByKey(
  session: ReadSession,
  { since, until, after, earlier, later, byKeyUntil, includesUnchanged }: Range,
  limit: number,
): Operation<readonly ListedChange[]> {
  const start = after?.pk ?? NO_KEY
  const isNew = includesUnchanged && earlier === later ? `o.valid_from > ${since}` : 'TRUE'
  const current = later
    ? yield* session.query(
        `SELECT o.pk, ${isNew} FROM ${later} AS o
         WHERE o.pk > ? AND o.valid_from <= ? AND o.valid_to > ? AND o.valid_from > ?
         ORDER BY o.pk LIMIT ?`,
        [start, byKeyUntil, until, includesUnchanged ? -1 : since, limit],
        { pk: text, isChanged: boolean },
      )
    : []
  const isGone = later
    ? `AND NOT EXISTS (
         SELECT 1 FROM ${later} AS n
         WHERE n.pk = o.pk AND n.valid_from <= ? AND n.valid_to > ?)`
    : ''
  const gone = earlier
    ? yield* session.query(
        `SELECT o.pk FROM ${earlier} AS o
         WHERE o.pk > ? AND o.valid_from <= ? AND o.valid_to > ? ${isGone}
         ORDER BY o.pk LIMIT ?`,
        [start, since, since, ...(later ? [until, byKeyUntil] : []), limit],
        { pk: text },
      )
    : []
  return firstOf(
    current.map((one) => ({ ...one, version: byKeyUntil, isCurrent: true })),
    gone.map(({ pk }) => ({ pk, version: byKeyUntil, isCurrent: false, isChanged: true })),
    limit,
  )
}

/**
 * Lists rows that commits have added, and rows that they have closed without a successor, of objects
 * that the earlier version has.
 */
function* listByVersion(
  session: ReadSession,
  { until, after, earlier, later, byKeyUntil, since, indexedVersion }: Range,
  limit: number,
): Operation<readonly ListedChange[]> {
  const base = Math.max(since, byKeyUntil)
  if (later === undefined || base >= until) return []
  const isStarted = after !== undefined && after.version > base
  const start = isStarted ? [after.version, after.pk] : [base + 1, NO_KEY]
  const list = (column: string, condition: string, values: readonly Parameter[]) =>
    session.query(
      `SELECT o.${column}, o.pk FROM ${later} AS o
       WHERE (o.${column}, o.pk) > (?, ?) AND o.${column} <= ? AND ${condition}
       ORDER BY o.${column}, o.pk LIMIT ?`,
      [...start, until, ...values, limit],
      { version: integer, pk: text },
    )
  const isIndexed = isAddedAfter(indexedVersion)
  const added = yield* list('valid_from', `${isIndexed} AND o.valid_to > ?`, [until])
  const closed = earlier
    ? yield* list(
        'valid_to',
        `o.valid_to < ${NEVER_CLOSED} AND NOT EXISTS (
           SELECT 1 FROM ${later} AS n
           WHERE n.pk = o.pk AND n.valid_from >= o.valid_to AND n.valid_from <= ?
         ) AND EXISTS (
           SELECT 1 FROM ${earlier} AS e
           WHERE e.pk = o.pk AND e.valid_from <= ? AND e.valid_to > ?)`,
        [until, since, since],
      )
    : []
  return firstOf(
    added.map((one) => ({ ...one, isCurrent: true, isChanged: true })),
    closed.map((one) => ({ ...one, isCurrent: false, isChanged: true })),
    limit,
  )
}

/** Precedes all keys: none is empty. */
const NO_KEY = ''

/** Returns the first changes of two lists. No object is in both. */
function firstOf(
  some: readonly ListedChange[],
  others: readonly ListedChange[],
  limit: number,
): readonly ListedChange[] {
  return [...some, ...others].sort(byPosition).slice(0, limit)
}

function byPosition(a: ListedChange, b: ListedChange): number {
  return a.version - b.version || Buffer.compare(Buffer.from(a.pk), Buffer.from(b.pk))
}
