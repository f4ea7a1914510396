/**
 * Replacements exchange all objects of a type at once. They are loaded batch by batch into a table
 * of their own; publishing only changes from which table the type is read. The name of a
 * replacement is the number of its table.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { OPEN_REPLACEMENTS_MAX } from '../../../contract/limits.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { refuseOtherMode, replacementTableId } from '../../batch.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Commit, PublishMode } from '../../object-store.ts'
import type { AuditMessage } from '../../sql/audit-row.ts'
import type { OnceMessage } from '../../sql/once-key.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { recoverPreparedTransactions } from '../citus/capabilities.ts'
import {
  type PostgresContext,
  ROWS_NOT_VISIBLE,
  waitUntil,
  writeInTurn,
} from '../citus/pending-commit.ts'
import type { WriteOwner, WriteSession } from '../driver/database.ts'
import { recordNote } from '../writes/idempotency-keys.ts'
import { lockExistingType, lockReplacement, readTable } from '../writes/lock-type.ts'
import { mergeCurrent } from '../writes/merge-current.ts'
import { publishVersion } from '../writes/publish-version.ts'
import { auditCommit } from './audit-records.ts'
import { adoptPrefixes, dropUnusableIndexes } from './long-text-indexes.ts'
import { addObjectTable, buildNextIndex, createObjectTable } from './object-table.ts'

export interface ReplacementOfType {
  readonly typeRid: string
  readonly replacement: string
  readonly callerId?: string
}

function ownerOf({ typeRid, callerId }: ReplacementOfType): WriteOwner {
  return { key: typeRid, callerId }
}

interface NewReplacement {
  readonly typeRid: string
  readonly callerId: string
  readonly once: OnceMessage | undefined
}

/**
 * Starts a replacement. Its rows get a version that is allocated now, because the version of the
 * publication is not known yet, and writing it into every row at the end would take too long.
 */
export function startReplacement(
  store: PostgresContext,
  { typeRid, callerId, once }: NewReplacement,
): Promise<string> {
  const { capabilities } = store
  return writeInTurn(store, { key: typeRid, callerId }, async (session) => {
    // The lock also makes the count below exact: replacements of a type are started one by one.
    const type = await lockExistingType(session, capabilities, typeRid, 'commit')
    const { id: typeId, lastVersion } = type
    await refuseTooMany(session, typeId)
    const loadedAs = lastVersion + 1
    await session.run('UPDATE oqs_object_type SET last_version = ? WHERE id = ?', [
      loadedAs,
      typeId,
    ])
    const table = { typeId, state: 'loading', firstVersion: loadedAs, loadedAs } as const
    const name = String(await addObjectTable(session, table))
    await recordNote(session, once && { ...once, note: name })
    return name
  })
}

async function refuseTooMany(session: WriteSession, typeId: number): Promise<void> {
  const [row] = await session.query(
    `SELECT t.definition::json ->> 'apiName', count(o.id) FROM oqs_object_type AS t
     LEFT JOIN oqs_object_table AS o ON o.object_type_id = t.id AND o.state = 'loading'
     WHERE t.id = ? GROUP BY t.id`,
    [typeId],
  )
  const [apiName, count] = row ?? []
  if (Number(count) < OPEN_REPLACEMENTS_MAX) return
  throw new ObjectQueryError('ReplacementsExceededLimit', {
    objectType: String(apiName),
    replacementsLimit: OPEN_REPLACEMENTS_MAX,
  })
}

/**
 * Keeps a replacement from expiring while its next batch arrives, which may take minutes. Writes
 * only if maintenance has marked it as idle. A replacement whose row is locked is in use anyway.
 */
export async function touchReplacement(
  { database }: PostgresContext,
  replacement: string,
): Promise<void> {
  const idle = 'oqs_object_table WHERE id = ? AND idle_since_ms IS NOT NULL'
  const id = replacementTableId(replacement)
  if ((await database.query(`SELECT 1 FROM ${idle}`, [id], { isPrepared: true })).length === 0)
    return
  await database.write((session) =>
    session.run(
      `UPDATE oqs_object_table SET idle_since_ms = NULL
       WHERE id IN (SELECT id FROM ${idle} FOR UPDATE SKIP LOCKED)`,
      [id],
    ),
  )
}

export interface Publication extends ReplacementOfType {
  readonly objectType: ObjectType
  readonly mode: PublishMode
  readonly audit?: AuditMessage | undefined
}

/**
 * Makes the replacement visible instead of the earlier objects; `put` and `deleted` count both.
 * Idempotent: publishing again, after a lost response, returns the same result. Throws
 * `ReplacementAlreadyPublished` if it was published in another mode.
 */
export async function publishReplacement(
  store: PostgresContext,
  target: Publication,
  onIndexed?: (indexes: number) => void,
): Promise<Commit> {
  try {
    return (await findPublished(store, target)) ?? (await publish(store, target, onIndexed))
  } catch (error) {
    // A concurrent request may have published the same replacement.
    const done = isReplacementNotFound(error) ? await findPublished(store, target) : undefined
    if (done === undefined) throw error
    return done
  }
}

function isReplacementNotFound(error: unknown): boolean {
  return error instanceof ObjectQueryError && error.errorName === 'ReplacementNotFound'
}

async function publish(
  store: PostgresContext,
  target: Publication,
  onIndexed: ((indexes: number) => void) | undefined,
): Promise<Commit> {
  // One index per transaction, without the lock of the type, because building takes long.
  for (let built = 1; await buildIndex(store, target); built += 1) onIndexed?.(built)
  if (store.capabilities.needsSeparatePublication) await waitForRows(store, target)
  return writeInTurn(store, ownerOf(target), async (session) => {
    const type = await lockExistingType(session, store.capabilities, target.typeRid, 'change')
    const table = await lockReplacement(session, type.id, target.replacement)
    const before = await readTable(session, type.tableId)
    await dropUnusableIndexes(session, type.id, table)
    const layout =
      target.mode === 'replace' ? table : await adoptPrefixes(session, type.id, table, before)
    // At most those of fields that were added meanwhile.
    while (await buildNextIndex(session, store.capabilities, type.id, { ...layout, id: table.id }));
    const version = type.lastVersion + 1
    await session.run(
      `UPDATE oqs_object_table SET state = 'published', first_version = ?, publish_mode = ?
       WHERE id = ?`,
      [version, target.mode, table.id],
    )
    await session.run('UPDATE oqs_object_type SET table_id = ? WHERE id = ?', [table.id, type.id])
    const { put, deleted, kept } = await mergeCurrent(
      session,
      store,
      { ...target, typeId: type.id },
      before,
      table,
    )
    await publishVersion(session, { typeId: type.id, version, put, deleted, kept })
    return auditCommit(session, target.audit, { version, put, deleted, kept })
  })
}

/** Returns the result of an earlier publication, until its version expires. */
async function findPublished(
  { database }: PostgresContext,
  target: Publication,
): Promise<Commit | undefined> {
  const [row] = await database.query(
    `SELECT o.publish_mode, l.version, l.put, l.deleted, l.kept
     FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.object_type_id = t.id
     JOIN oqs_commit_log AS l ON l.object_type_id = t.id AND l.version = o.first_version
     WHERE t.rid = ? AND o.id = ? AND o.state = 'published' AND o.loaded_as < o.first_version`,
    [target.typeRid, replacementTableId(target.replacement)],
  )
  if (row === undefined) return undefined
  const [mode, ...counts] = row
  refuseOtherMode(target, mode as PublishMode | null)
  const [version = 0, put = 0, deleted = 0, kept = 0] = counts.map(Number)
  return { version, put, deleted, kept }
}

/** Builds one missing index, or, once there is none, updates the statistics and returns false. */
function buildIndex(store: PostgresContext, target: ReplacementOfType): Promise<boolean> {
  return writeInTurn(store, ownerOf(target), async (session) => {
    const type = await lockExistingType(session, store.capabilities, target.typeRid, 'load')
    const table = await lockReplacement(session, type.id, target.replacement)
    // A replacement that is being published is not idle.
    await session.run('UPDATE oqs_object_table SET idle_since_ms = NULL WHERE id = ?', [table.id])
    if (!table.isCreated) {
      const created = { typeId: type.id, id: table.id, isLoading: true }
      await createObjectTable(session, store.capabilities, created)
      return true
    }
    if (await buildNextIndex(session, store.capabilities, type.id, table)) return true
    await session.extendTimeout()
    await session.query(`ANALYZE ${objectTable(table.id)}`)
    return false
  })
}

/**
 * Waits until as many rows are visible as were written: on several machines, additions and deletions
 * become visible at different times. A row that was written twice is counted once in either case,
 * because building the indexes has waited for it on every machine.
 */
function waitForRows(store: PostgresContext, target: ReplacementOfType): Promise<void> {
  return waitUntil(ROWS_NOT_VISIBLE, async () => {
    if (store.capabilities.isDistributed) await recoverPreparedTransactions(store.database)
    // Read each time, because a batch that arrives meanwhile changes it.
    const { id, liveCount } = await writeInTurn(store, ownerOf(target), async (session) => {
      const type = await lockExistingType(session, store.capabilities, target.typeRid, 'load')
      return lockReplacement(session, type.id, target.replacement)
    })
    const count = await store.database.write(async (session) => {
      await session.extendTimeout()
      return session.query(
        `SELECT count(*) FROM ${objectTable(id)} WHERE valid_to = ${NEVER_CLOSED}`,
      )
    }, ownerOf(target))
    return Number(count[0]?.[0]) === liveCount
  })
}

/** Abandons a replacement; reclaim removes its rows. */
export function abandonReplacement(
  store: PostgresContext,
  target: ReplacementOfType,
): Promise<void> {
  return writeInTurn(store, ownerOf(target), async (session) => {
    const type = await lockExistingType(session, store.capabilities, target.typeRid, 'load')
    const { id } = await lockReplacement(session, type.id, target.replacement)
    await session.run(`UPDATE oqs_object_table SET state = 'abandoned' WHERE id = ?`, [id])
  })
}
