/**
 * Writes a batch in one transaction, as the next version of its type: closes old rows, adds new
 * rows, and publishes the version, or marks it as pending where rows become visible later.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { deduplicateInTurns } from '../../batch.ts'
import type { Batch, Change, Commit } from '../../object-store.ts'
import { inTurns } from '../../sql/in-turns.ts'
import { readFieldColumns } from '../catalogue/field-columns.ts'
import { allowLongTexts, createObjectTable } from '../catalogue/object-table.ts'
import { touchReplacement } from '../catalogue/replacement.ts'
import {
  type PostgresContext,
  publishPending,
  savePending,
  writeInTurn,
} from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { BATCH_TIMEOUT_MS } from '../driver/session.ts'
import { longTextFields } from '../text/long-texts.ts'
import { analyzeLater, hasGrownMuch } from './analyze.ts'
import { closeRows, existingKeys, NO_KEYS } from './close-rows.ts'
import { copyRows } from './copy-rows.ts'
import { lockReplacement, lockType, readTable, type WriteTable } from './lock-type.ts'
import { publishVersion, saveTableCounts } from './publish-version.ts'

/**
 * Commits a batch; it is on disk when the promise resolves. A batch of a replacement is written in
 * the same way, but publishes nothing yet.
 */
export async function commitBatch(
  store: PostgresContext,
  batch: Batch,
  callerId: string,
): Promise<Commit> {
  const { objectType, replacement, keepsExisting = false } = batch
  // Before the body is read, because it may take longer to arrive than a replacement may be idle.
  if (replacement !== undefined) await touchReplacement(store, replacement)
  const settled = await deduplicateInTurns(partsOf(batch.changes), keyOf, keepsExisting)
  const owner = { key: objectType.rid, callerId }
  const { typeId, commit, grown } = await writeInTurn(store, owner, async (session) => {
    const lock = replacement === undefined ? 'commit' : 'load'
    const type = await lockType(session, store.capabilities, objectType.rid, lock)
    if (type === undefined || type.generation > batch.basedOn) throw outOfSync(objectType.rid)
    const isLoading = replacement !== undefined
    const table = isLoading
      ? await lockReplacement(session, type.id, replacement)
      : await readTable(session, type.tableId)
    const version = isLoading ? table.loadedAs : type.lastVersion + 1
    const target = { ...table, typeId: type.id, version, isLoading }
    if (!table.isCreated && settled.some(isPut)) {
      const state = isLoading ? 'loading' : 'published'
      await createObjectTable(session, store.capabilities, {
        typeId: type.id,
        id: table.id,
        state,
      })
    }
    // Not before the locks are held: waiting for a lock keeps the short timeout.
    await session.extendTimeout(BATCH_TIMEOUT_MS)
    const written = await writeRows(session, settled, target, keepsExisting)
    const { put, deleted, kept } = written
    const isWritten = put + deleted > 0
    if (isWritten && !isLoading && store.capabilities.needsSeparatePublication) {
      await session.run('UPDATE oqs_object_type SET last_version = ? WHERE id = ?', [
        version,
        type.id,
      ])
      await savePending(session, { ...written, typeId: type.id, version, table: table.id })
    } else if (isWritten) {
      await saveTableCounts(session, { ...written, table: table.id })
      if (!isLoading) await publishVersion(session, { typeId: type.id, version, put, deleted })
    }
    const current = isWritten && !isLoading ? version : type.published
    return {
      typeId: type.id,
      commit: { version: current, put, deleted, kept },
      grown: hasGrownMuch(written.liveCount, table.liveCount) ? table.id : undefined,
    }
  })
  if (grown !== undefined) analyzeLater(store.database, grown)
  if (store.capabilities.needsSeparatePublication) await publishPending(store, typeId)
  return commit
}

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

function outOfSync(objectTypeRid: string): ObjectQueryError {
  return new ObjectQueryError('OntologyDefinitionOutOfSync', {
    objectTypeRid,
    reason: 'the object type was changed while the batch was being read',
  })
}

interface Target extends WriteTable {
  readonly typeId: number
  readonly version: number
  readonly isLoading: boolean
}

interface Written {
  readonly put: number
  readonly deleted: number
  readonly kept: number
  /** The numbers of added and closed rows. */
  readonly added: number
  readonly closed: number
  readonly liveCount: number
  readonly maxRecordBytes: number
}

async function writeRows(
  session: WriteSession,
  changes: readonly Change[],
  target: Target,
  keepsExisting: boolean,
): Promise<Written> {
  const kept = keepsExisting ? await existingKeys(session, target, putKeys(changes)) : NO_KEYS
  const effective = kept.size === 0 ? changes : changes.filter((change) => !isKept(change, kept))
  const closed = await closeRows(session, target, effective.map(keyOf))
  const objects = effective.filter(isPut).map(({ put }) => put)
  const fields = await readFieldColumns(session, target.typeId)
  await allowLongTexts(session, target.typeId, await longTextFields(fields, objects))
  let { maxRecordBytes } = target
  await inTurns(objects, OBJECTS_PER_TURN, (object) => {
    maxRecordBytes = Math.max(maxRecordBytes, recordBytes(object))
  })
  await copyRows(session, objects, { table: target.id, version: target.version, fields })
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

/** The bytes of an object in a page, without those that depend on the shape of the record. */
function recordBytes({ body, key, title }: StoredObject): number {
  return Buffer.byteLength(body) + Buffer.byteLength(key) + Buffer.byteLength(title ?? '')
}
