/** Replacements on PostgreSQL: which transactions they take. */

import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import type { Operation } from '../../core/session/operation.ts'
import type { TableBuilder } from '../../core/tables/construction.ts'
import {
  abandonReplacement as abandon,
  findPublished,
  indexReplacement,
  type NewReplacement,
  type Publication,
  publishReplacement as publish,
  type ReplacementOfType,
  readLoading,
  startReplacement as start,
} from '../../core/tables/replacements.ts'
import type { Commit } from '../../port/writes.ts'
import { recoverPreparedTransactions } from '../citus/capabilities.ts'
import {
  type PostgresContext,
  ROWS_NOT_VISIBLE,
  waitUntil,
  writeInTurn,
} from '../citus/pending-commit.ts'
import { readIn } from '../driver/postgres-session.ts'
import { buildIn } from './postgres-table-builder.ts'

/** A write that is carried out for a caller. */
interface OwnedBy {
  readonly callerId?: string
}

/** Runs an operation that builds the table of a replacement, in a transaction. */
function build<Result>(
  store: PostgresContext,
  { typeRid, callerId }: OwnedBy & Pick<ReplacementOfType, 'typeRid'>,
  run: (builder: TableBuilder) => Operation<Result>,
): Promise<Result> {
  return writeInTurn(store, { key: typeRid, callerId }, (session) =>
    buildIn(session, store.capabilities, run),
  )
}

export function startReplacement(
  store: PostgresContext,
  started: NewReplacement & OwnedBy,
): Promise<string> {
  return build(store, started, (builder) => start(builder, started))
}

export async function publishReplacement(
  store: PostgresContext,
  target: Publication & OwnedBy,
  onIndexed?: (indexes: number) => void,
): Promise<Commit> {
  const done = await readIn(store.database, (core) => findPublished(core, target))
  if (done !== undefined) return done
  // One index per transaction, without the lock of the type, because it is slow to build.
  const buildIndex = () => build(store, target, (builder) => indexReplacement(builder, target))
  for (let built = 1; await buildIndex(); built += 1) onIndexed?.(built)
  if (store.capabilities.needsSeparatePublication) await waitForRows(store, target)
  return build(store, target, (builder) => publish(builder, target))
}

/**
 * Waits until as many rows are visible as were written: on several machines, additions and deletions
 * become visible at different times. A row that was written twice is counted once in either case,
 * because building the indexes has waited for it on every machine.
 */
function waitForRows(store: PostgresContext, target: Publication & OwnedBy): Promise<void> {
  return waitUntil(ROWS_NOT_VISIBLE, async () => {
    if (store.capabilities.isDistributed) await recoverPreparedTransactions(store.database)
    // Read each time, because a batch that arrives meanwhile changes it.
    const loading = await build(store, target, (builder) => readLoading(builder, target))
    if (loading?.isCreated !== true) return true
    const { key, callerId } = { key: target.typeRid, callerId: target.callerId }
    const rows = await store.database.write(
      async (session) => {
        await session.extendTimeout()
        const table = objectTable(loading.id)
        return session.query(`SELECT count(*) FROM ${table} WHERE valid_to = ${NEVER_CLOSED}`)
      },
      { key, callerId },
    )
    return Number(rows[0]?.[0]) === loading.liveCount
  })
}

export function abandonReplacement(
  store: PostgresContext,
  target: ReplacementOfType & OwnedBy,
): Promise<void> {
  return build(store, target, (builder) => abandon(builder, target))
}
