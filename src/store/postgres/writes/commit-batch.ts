/** Writes the changes of batches and edits: closes old rows and adds new rows. */
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { deduplicateInTurns, recordBytes } from '../../batch.ts'
import type { Batch, Change, Commit, Edit } from '../../object-store.ts'
import { inTurns } from '../../sql/in-turns.ts'
import { readFieldColumns } from '../catalogue/field-columns.ts'
import { allowLongTexts } from '../catalogue/long-text-indexes.ts'
import { buildNextIndex, createObjectTable } from '../catalogue/object-table.ts'
import { touchReplacement } from '../catalogue/replacement.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { BATCH_TIMEOUT_MS } from '../driver/session.ts'
import { findLongTexts } from '../text/long-texts.ts'
import { closeRows, existingKeys, NO_KEYS } from './close-rows.ts'
import { type CommitTarget, commitWrite, type Written } from './commit-write.ts'
import { copyRows } from './copy-rows.ts'
import type { GroupCommits } from './group-commits.ts'
import { readTable } from './lock-type.ts'
import { readCurrent } from './read-current.ts'

/**
 * Commits a batch; it is on disk when the promise resolves. A batch of a replacement is written in
 * the same way, but publishes nothing yet.
 */
export async function commitBatch(
  store: WriteStore,
  batch: Batch,
  callerId: string,
): Promise<Commit> {
  const { replacement, keepsExisting = false } = batch
  // Before the body is read, because it may take longer to arrive than a replacement may be idle.
  if (replacement !== undefined) await touchReplacement(store, replacement)
  const settled = await deduplicateInTurns(partsOf(batch.changes), keyOf, keepsExisting)
  const commitAlone = () =>
    commitWrite(store, batch, callerId, (session, target) =>
      writeChanges(session, store, settled, target, keepsExisting),
    )
  const isGrouped = replacement === undefined && !keepsExisting && isSmall(settled)
  if (store.groups === undefined || !isGrouped) return commitAlone()
  const { objectType, basedOn, once } = batch
  const decide = () => ({ changes: settled })
  const write = { objectType, basedOn, once, keys: settled.map(keyOf), readsCurrent: false, decide }
  return store.groups.commit(write, callerId, commitAlone)
}

/** What writes of objects need. */
export interface WriteStore extends PostgresContext {
  /** Undefined if each write has a transaction of its own. */
  readonly groups: GroupCommits | undefined
}

const SMALL_CHANGES = 100
const SMALL_LENGTH = 256 * 1024

/** True for a batch whose statements cost more than its rows. */
function isSmall(changes: readonly Change[]): boolean {
  if (changes.length > SMALL_CHANGES) return false
  const lengths = changes.map((change) => (isPut(change) ? change.put.body.length : 0))
  return lengths.reduce((sum, length) => sum + length, 0) <= SMALL_LENGTH
}

/** Commits an edit. It is decided while the type is locked, so nothing comes in between. */
export function commitEdit(store: WriteStore, edit: Edit, callerId: string): Promise<Commit> {
  const commitAlone = () =>
    commitWrite(store, edit, callerId, async (session, target) => {
      const { changes, note } = await edit.decide(await readCurrent(session, target, edit.keys))
      const settled = await deduplicateInTurns([changes], keyOf, false)
      const written = await writeChanges(session, store, settled, target, false)
      return note === undefined ? written : { ...written, note }
    })
  if (store.groups === undefined || edit.keys.length > SMALL_CHANGES) return commitAlone()
  return store.groups.commit({ ...edit, readsCurrent: true }, callerId, commitAlone)
}

async function writeChanges(
  session: WriteSession,
  { capabilities }: PostgresContext,
  settled: readonly Change[],
  target: CommitTarget,
  keepsExisting: boolean,
): Promise<Written> {
  const { typeId, id, isCreated } = target
  const isFirst = !isCreated && settled.some(isPut)
  // Nobody sees a new table before the commit, and building an index after the rows costs less.
  const buildsLater = isFirst && settled.length >= LARGE_BATCH && !capabilities.isDistributed
  const isLoading = target.isLoading || buildsLater
  const layout = isFirst
    ? await createObjectTable(session, capabilities, { typeId, id, isLoading })
    : target
  // Not before the locks are held: waiting for a lock keeps the short timeout.
  await session.extendTimeout(BATCH_TIMEOUT_MS)
  const written = await writeRows(session, settled, { ...target, ...layout }, keepsExisting)
  if (!buildsLater || target.isLoading) return written
  const loaded = await readTable(session, id)
  while (await buildNextIndex(session, capabilities, typeId, loaded));
  return written
}

/** Below this many changes, looking up the missing indexes costs more than it saves. */
const LARGE_BATCH = 2000

/** Returns the parts of a batch; changes that are complete already are one part. */
function partsOf(changes: Batch['changes']) {
  return Array.isArray(changes)
    ? [changes as readonly Change[]]
    : (changes as AsyncIterable<readonly Change[]>)
}

function keyOf(change: Change): string {
  return isPut(change) ? change.put.pk : change.delete
}

function isPut(change: Change): change is { readonly put: StoredObject } {
  return 'put' in change
}

async function writeRows(
  session: WriteSession,
  changes: readonly Change[],
  target: CommitTarget,
  keepsExisting: boolean,
): Promise<Written> {
  const kept = keepsExisting ? await existingKeys(session, target, putKeys(changes)) : NO_KEYS
  const effective = kept.size === 0 ? changes : changes.filter((change) => !isKept(change, kept))
  const closed = await closeRows(session, target, effective.map(keyOf))
  const objects = effective.filter(isPut).map(({ put }) => put)
  const fields = await readFieldColumns(session, target.typeId)
  await allowLongTexts(session, target.typeId, target, await findLongTexts(fields, objects))
  let { maxRecordBytes } = target
  await inTurns(objects, OBJECTS_PER_TURN, (object) => {
    maxRecordBytes = Math.max(maxRecordBytes, recordBytes(object))
  })
  await copyRows(session, objects, { table: target, version: target.version, fields })
  return {
    put: objects.length,
    deleted: effective.filter((change) => 'delete' in change && closed.has(change.delete)).length,
    kept: kept.size,
    added: objects.length,
    closed: closed.size,
    liveCount: target.liveCount + objects.length - closed.size,
    maxRecordBytes,
  }
}

/** The number of objects to measure before yielding to other work. */
const OBJECTS_PER_TURN = 10_000

function putKeys(changes: readonly Change[]): string[] {
  return changes.filter(isPut).map(({ put }) => put.pk)
}

function isKept(change: Change, kept: ReadonlySet<string>): boolean {
  return isPut(change) && kept.has(change.put.pk)
}
