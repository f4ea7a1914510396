/**
 * Commits whose rows are on several machines. Rows become visible on one machine after the other,
 * and much later if a machine fails at the wrong moment. A commit therefore only records what it
 * wrote, and its version is published once all its rows are visible. The next writer publishes what
 * an earlier one left behind, so no version is ever skipped.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { readBuiltTable } from '../../core/catalogue/build-table.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { isAddedAfter } from '../../core/catalogue/version-indexes.ts'
import { countsUpdate, publication } from '../../core/commits/commit-log.ts'
import { boolean, columnList, integer, type RowOf } from '../../core/session/session.ts'
import type { Database, Session, WriteOwner, WriteSession } from '../driver/database.ts'
import { readIn, runIn } from '../driver/postgres-session.ts'
import { isLostConnection, isStatementTimeout, UnknownOutcome } from '../driver/store-failure.ts'
import { type Capabilities, recoverPreparedTransactions } from './capabilities.ts'

/** The columns of a commit that is not published yet, besides its type. */
const PENDING = {
  version: integer,
  tableId: integer,
  // The number of rows with this version as `valid_from`, and as `valid_to`.
  added: integer,
  closed: integer,
  put: integer,
  deleted: integer,
  kept: integer,
  liveCount: integer,
  maxRecordBytes: integer,
} as const

interface PendingCommit extends RowOf<typeof PENDING> {
  readonly typeId: number
}

/** A pending commit, and the state of its table. */
interface FoundCommit extends PendingCommit {
  readonly isCreated: boolean
  /** Whether nobody reads the table before the commit is published. */
  readonly isNew: boolean
}

/** Thrown by a writer that found a commit which must be published first. */
class UnfinishedCommit extends Error {
  readonly typeId: number

  constructor(typeId: number) {
    super('an earlier commit is not published yet')
    this.name = 'UnfinishedCommit'
    this.typeId = typeId
  }
}

/** The database of a store, and what it can do. */
export interface PostgresContext {
  readonly database: Database
  readonly capabilities: Capabilities
}

/**
 * Runs a write transaction after every earlier commit of its types was published. The key is the RID
 * of the written type, or the name of another lock that writers share.
 */
export async function writeInTurn<T>(
  store: PostgresContext,
  owner: WriteOwner,
  run: (session: WriteSession) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await store.database.write(run, owner)
    } catch (error) {
      if (error instanceof UnfinishedCommit) {
        await publishPending(store, error.typeId)
        continue
      }
      // It may have been committed, and no other writer may come soon to publish it.
      if (error instanceof UnknownOutcome) await recoverPending(store).catch(() => {})
      throw error
    }
  }
}

/** Takes the next version of a type for a commit that is published later. */
export async function addPending(
  session: WriteSession,
  commit: Omit<PendingCommit, 'added' | 'closed'> & Partial<PendingCommit>,
): Promise<void> {
  const { typeId, version } = commit
  const sql = 'UPDATE oqs_object_type SET last_version = ? WHERE id = ?'
  await session.run(sql, [version, typeId])
  const counted = { added: 0, closed: 0, ...commit }
  const names = Object.keys(PENDING) as (keyof typeof PENDING)[]
  await session.run(
    `INSERT INTO oqs_pending_commit (object_type_id, ${columnList(PENDING)})
     VALUES (?${', ?'.repeat(names.length)})`,
    [typeId, ...names.map((name) => counted[name])],
  )
}

/** Throws `UnfinishedCommit` if the type has a pending commit. The type must be locked. */
export async function refuseUnfinished(session: Session, typeId: number): Promise<void> {
  if ((await readPending(session, typeId)) !== undefined) throw new UnfinishedCommit(typeId)
}

const MIN_POLL_MS = 20
const MAX_POLL_MS = 1000
const MAX_WAIT_MS = 20_000

const ROWS_NOT_VISIBLE =
  'a commit is not visible on every machine of the database yet; it is published once it is'

/** Waits until all rows of the pending commit are visible, then publishes it, if there is one. */
function publishPending(store: PostgresContext, typeId: number): Promise<void> {
  const { database, capabilities } = store
  return waitUntil(ROWS_NOT_VISIBLE, async () => {
    const commit = await database.read((session) => readPending(session, typeId))
    if (commit === undefined) return true
    if (!(await isVisible(database, commit))) {
      if (capabilities.isDistributed) await recoverPreparedTransactions(database)
      return false
    }
    await publish(database, commit)
    return true
  })
}

/** Publishes a commit of the caller. If the database is lost, the commit is published later. */
export async function publishCommitted(store: PostgresContext, typeId: number): Promise<void> {
  try {
    await publishPending(store, typeId)
  } catch (error) {
    const cause = error instanceof ObjectQueryError ? error.cause : error
    throw isLostConnection(cause) ? new UnknownOutcome(cause) : error
  }
}

/** Publishes what a type that is named by its RID still has to publish. */
export async function publishPendingOf(store: PostgresContext, typeRid: string): Promise<void> {
  if (!store.capabilities.needsSeparatePublication) return
  const sql = 'SELECT id FROM oqs_object_type WHERE rid = ?'
  const [row] = await store.database.query(sql, [typeRid])
  if (row !== undefined) await publishPending(store, Number(row[0]))
}

/** Waits until all rows of a table under construction are visible. */
export function waitForRows(store: PostgresContext, tableId: number): Promise<void> {
  const { database, capabilities } = store
  return waitUntil(ROWS_NOT_VISIBLE, async () => {
    if (await areAllVisible(database, tableId)) return true
    if (capabilities.isDistributed) await recoverPreparedTransactions(database)
    return false
  })
}

/** Polls until the condition holds. Throws `ServiceUnavailable` after `MAX_WAIT_MS`. */
export async function waitUntil(reason: string, isDone: () => Promise<boolean>): Promise<void> {
  let waitedMs = 0
  for (let next = MIN_POLL_MS; !(await isDone()); next = Math.min(2 * next, MAX_POLL_MS)) {
    if (waitedMs >= MAX_WAIT_MS) throw new ObjectQueryError('ServiceUnavailable', { reason })
    await sleep(next)
    waitedMs += next
  }
}

/** Publishes commits that a writer left behind; those not visible yet are left to later calls. */
export async function recoverPending(store: PostgresContext): Promise<void> {
  if (!store.capabilities.needsSeparatePublication) return
  const rows = await store.database.query('SELECT object_type_id FROM oqs_pending_commit')
  for (const [typeId] of rows) {
    const commit = await store.database.read((session) => readPending(session, Number(typeId)))
    if (commit !== undefined && (await isVisible(store.database, commit))) {
      await publish(store.database, commit)
    }
  }
}

/** How long to wait for the transactions that have written to a table. */
const MAX_LOCK_WAIT_MS = 500

/**
 * True if all rows that were written to a table, which nobody reads yet, are visible: a transaction
 * keeps its locks on each machine until its rows are visible there. The statement takes a lock of all
 * shards that conflicts with them; it changes nothing, and is rolled back.
 */
async function areAllVisible(database: Database, tableId: number): Promise<boolean> {
  try {
    await database.writeBeside(async (session) => {
      await session.extendTimeout(MAX_LOCK_WAIT_MS)
      await session.query(`ALTER TABLE ${objectTable(tableId)} ALTER COLUMN body SET NOT NULL`)
      throw new AllVisible()
    })
  } catch (error) {
    if (error instanceof AllVisible) return true
    if (!isStatementTimeout(error instanceof ObjectQueryError ? error.cause : error)) throw error
  }
  return false
}

class AllVisible extends Error {}

async function isVisible(database: Database, commit: FoundCommit): Promise<boolean> {
  const { version, tableId, added, closed, isNew, isCreated } = commit
  if (isNew) return !isCreated || areAllVisible(database, tableId)
  const { indexedVersion } = await readIn(database, (core) => readBuiltTable(core, tableId))
  const isAdded = `${isAddedAfter(indexedVersion)} AND valid_from = ?`
  const isClosed = `valid_to < ${NEVER_CLOSED} AND valid_to = ?`
  const [row] = await database.query(
    `SELECT count(*) FILTER (WHERE valid_from = ?), count(*) FILTER (WHERE valid_to = ?)
     FROM ${objectTable(tableId)} WHERE (${isAdded}) OR (${isClosed})`,
    [version, version, version, version],
  )
  return Number(row?.[0]) === added && Number(row?.[1]) === closed
}

function publish(database: Database, commit: PendingCommit): Promise<void> {
  const { typeId, version, tableId } = commit
  return database.write(async (session) => {
    await session.query('SELECT 1 FROM oqs_object_type WHERE id = ? FOR UPDATE', [typeId])
    const deleted = await session.run(
      'DELETE FROM oqs_pending_commit WHERE object_type_id = ? AND version = ?',
      [typeId, version],
    )
    // Another node has published it already.
    if (deleted === 0) return
    const setTable = 'UPDATE oqs_object_type SET table_id = ? WHERE id = ?'
    await runIn(session, (core) =>
      core.runAll([
        countsUpdate(tableId, commit),
        { sql: setTable, parameters: [tableId, typeId] },
        ...publication(core.dialect, typeId, [commit]),
      ]),
    )
  })
}

async function readPending(session: Session, typeId: number): Promise<FoundCommit | undefined> {
  const sql = `SELECT ${columnList(PENDING, 'p')}, o.is_created, o.id <> t.table_id
    FROM oqs_pending_commit AS p JOIN oqs_object_type AS t ON t.id = p.object_type_id
    JOIN oqs_object_table AS o ON o.id = p.table_id WHERE t.id = ?`
  const columns = { ...PENDING, isCreated: boolean, isNew: boolean }
  const pending = await readIn(session, (core) => core.find(sql, [typeId], columns))
  return pending && { typeId, ...pending }
}
