/** Waits until the objects of a replacement can be published, on several machines. */
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { type Publication, readLoading } from '../../core/tables/replacements.ts'
import { recoverPreparedTransactions } from '../citus/capabilities.ts'
import {
  type PostgresContext,
  ROWS_NOT_VISIBLE,
  waitUntil,
  writeInTurn,
} from '../citus/pending-commit.ts'
import { buildIn } from './postgres-table-builder.ts'

/**
 * Waits until as many rows are visible as were written: on several machines, additions and deletions
 * become visible at different times. A row that was written twice is counted once in either case,
 * because building the indexes has waited for it on every machine.
 */
export async function waitForRows(
  store: PostgresContext,
  target: Publication,
  callerId: string,
): Promise<void> {
  const { database, capabilities } = store
  if (!capabilities.needsSeparatePublication) return
  const owner = { key: target.typeRid, callerId }
  await waitUntil(ROWS_NOT_VISIBLE, async () => {
    if (capabilities.isDistributed) await recoverPreparedTransactions(database)
    // Read each time, because a batch that arrives meanwhile changes it.
    const loading = await writeInTurn(store, owner, (session) =>
      buildIn(session, capabilities, (builder) => readLoading(builder, target)),
    )
    if (loading?.isCreated !== true) return true
    const rows = await database.write(async (session) => {
      await session.extendTimeout()
      const table = objectTable(loading.id)
      return session.query(`SELECT count(*) FROM ${table} WHERE valid_to = ${NEVER_CLOSED}`)
    }, owner)
    return Number(rows[0]?.[0]) === loading.liveCount
  })
}
