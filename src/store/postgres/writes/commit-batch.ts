/** Writes the changes of batches and edits: closes old rows and adds new rows. */
import { AUDIT_KEYS_MAX } from '../../../contract/limits.ts'
import type { AuditedWrite } from '../../core/audit/audit-records.ts'
import type { CommitTarget, Written } from '../../core/commits/commit-write.ts'
import {
  type Batch,
  type Change,
  type Commit,
  type Edit,
  FEW_CHANGES,
  FEW_CHANGES_LENGTH,
} from '../../object-store.ts'
import type { RequestContext } from '../../port/request-context.ts'
import { readFieldColumns } from '../catalogue/field-columns.ts'
import { writeToTable } from '../catalogue/missing-tables.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { Writer, WriteSession } from '../driver/database.ts'
import { isUniqueViolation } from '../driver/store-failure.ts'
import { commitWrite } from './commit-write.ts'
import { addRows, closeNothing } from './copy-rows.ts'
import { closeRows, existingKeys, NO_KEYS, readCurrent } from './current-rows.ts'
import type { GroupCommits } from './group-commits.ts'
import {
  isPut,
  keyOf,
  type SettledChange,
  type SettledChanges,
  settleChanges,
} from './settled-changes.ts'

/**
 * Commits a batch; it is on disk when the promise resolves. A batch of a replacement is written in
 * the same way, but publishes nothing yet. A large batch is not committed if its client disconnects
 * before all its rows were sent.
 */
export async function commitBatch(
  store: WriteStore,
  batch: Batch & AuditedWrite,
  context: RequestContext,
): Promise<Commit> {
  const { callerId } = context
  const { replacement, keepsExisting = false } = batch
  const settled = await settleChanges(batch, keepsExisting)
  const commitAlone = async (writer: Writer) => {
    let attempts = 0
    let isCommitted = false
    try {
      const commit = await commitWrite(store, batch, writer, (session, target) => {
        attempts += 1
        return writeChanges(session, store, settled, target, keepsExisting)
      })
      isCommitted = true
      return commit
    } finally {
      // Not after a failed attempt, whose connection may still read the rows.
      if (attempts <= (isCommitted ? 1 : 0)) settled.free()
    }
  }
  const changes = settled.objects
  const isGrouped = replacement === undefined && !keepsExisting && isSmall(changes)
  if (store.groups === undefined || changes === undefined || !isGrouped) {
    return commitAlone({ callerId, signal: isSmall(changes) ? undefined : context.signal() })
  }
  const { objectType, basedOn, idempotencyKey, audit, notes } = batch
  const target = { objectType, basedOn, idempotencyKey, audit, notes }
  const decide = () => ({ changes })
  const write = { ...target, keys: changes.map(keyOf), readsCurrent: false, decide }
  return store.groups.commit(write, callerId, () => commitAlone({ callerId }))
}

/** What writes of objects need. */
export interface WriteStore extends PostgresContext {
  /** Undefined if each write has a transaction of its own. */
  readonly groups: GroupCommits | undefined
}

/** True for a batch whose statements cost more than its rows. */
function isSmall(changes: readonly Change[] | undefined): boolean {
  if (changes === undefined || changes.length > FEW_CHANGES) return false
  const lengths = changes.map((change) => ('put' in change ? change.put.body.length : 0))
  return lengths.reduce((sum, length) => sum + length, 0) <= FEW_CHANGES_LENGTH
}

/** Commits an edit. It is decided while the type is locked, so nothing comes in between. */
export function commitEdit(
  store: WriteStore,
  edit: Edit & AuditedWrite,
  callerId: string,
): Promise<Commit> {
  const commitAlone = () =>
    commitWrite(store, edit, { callerId }, async (session, target) => {
      const { changes, note } = await edit.decide(
        await readCurrent(session, target, edit.keys, edit.maxCurrentBytes),
      )
      const settled = await settleChanges({ changes }, false)
      const written = await writeChanges(session, store, settled, target, false)
      return note === undefined ? written : { ...written, note }
    })
  const isLarge = edit.keys.length > FEW_CHANGES || edit.maxCurrentBytes !== undefined
  if (store.groups === undefined || isLarge) return commitAlone()
  return store.groups.commit({ ...edit, readsCurrent: true }, callerId, commitAlone)
}

async function writeChanges(
  session: WriteSession,
  { capabilities }: PostgresContext,
  settled: SettledChanges,
  target: CommitTarget,
  keepsExisting: boolean,
): Promise<Written> {
  return writeToTable(session, capabilities, target, settled.changes.filter(isPut).length, () =>
    writeRows(session, capabilities, settled, target, keepsExisting),
  )
}

async function writeRows(
  session: WriteSession,
  capabilities: Capabilities,
  settled: SettledChanges,
  target: CommitTarget,
  keepsExisting: boolean,
): Promise<Written> {
  const { changes } = settled
  const kept = keepsExisting ? await existingKeys(session, target, putKeys(changes)) : NO_KEYS
  const effective = kept.size === 0 ? changes : changes.filter((change) => !isKept(change, kept))
  const puts = effective.filter(isPut)
  const fields = await readFieldColumns(session, target.typeId)
  const encoded = await settled.encode(fields, puts)
  const add = () => addRows(session, capabilities, { ...target, fields }, encoded, closeNothing)
  const isNew =
    puts.length === effective.length && (await addNewRows(session, capabilities, target, add))
  const closed = isNew ? NO_KEYS : await closeRows(session, target, effective.map(keyOf))
  if (!isNew) await add()
  const deletes = effective.filter((change) => !isPut(change) && closed.has(keyOf(change)))
  return {
    put: puts.length,
    deleted: deletes.length,
    keys: [...puts.slice(0, AUDIT_KEYS_MAX), ...deletes.slice(0, AUDIT_KEYS_MAX)].map(keyOf),
    kept: kept.size,
    added: puts.length,
    closed: closed.size,
    liveCount: target.liveCount + puts.length - closed.size,
    maxRecordBytes: Math.max(target.maxRecordBytes, encoded.facts.maxRecordBytes),
  }
}

/**
 * Adds rows to a load without a search for earlier ones, which takes a quarter of the time: the index
 * of keys refuses a row whose object is there. Returns false, and changes nothing, if it does.
 */
async function addNewRows(
  session: WriteSession,
  { isDistributed }: Capabilities,
  { isLoading, liveCount }: CommitTarget,
  add: () => Promise<void>,
): Promise<boolean> {
  if (!isLoading || liveCount === 0 || isDistributed) return false
  await session.query('SAVEPOINT new_rows')
  try {
    await add()
    await session.query('RELEASE SAVEPOINT new_rows')
    return true
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    await session.query('ROLLBACK TO SAVEPOINT new_rows')
    return false
  }
}

function putKeys(changes: readonly SettledChange[]): string[] {
  return changes.filter(isPut).map(keyOf)
}

function isKept(change: SettledChange, kept: ReadonlySet<string>): boolean {
  return isPut(change) && kept.has(keyOf(change))
}
