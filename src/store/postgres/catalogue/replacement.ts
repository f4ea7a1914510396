import { ObjectQueryError } from '../../../contract/errors.ts'
import { OPEN_REPLACEMENTS_MAX } from '../../../contract/limits.ts'
import type { Commit } from '../../object-store.ts'
import { OPEN } from '../../sql/new-table.ts'
import { recoverPreparedTransactions } from '../citus/capabilities.ts'
import { ROWS_NOT_VISIBLE, type Writable, waitUntil, writeInTurn } from '../citus/pending-commit.ts'
import type { WriteOwner, WriteSession } from '../driver/database.ts'
import {
  lockExistingType,
  lockReplacement,
  readTable,
  replacementTableId,
} from '../writes/lock-type.ts'
import { publishVersion } from '../writes/publish-version.ts'
import {
  addObjectTable,
  buildNextIndex,
  createObjectTable,
  dropUnusableIndexes,
  objectTable,
} from './object-table.ts'

/**
 * Replacements: all objects of a type exchanged for others at one moment. They are loaded into a
 * table of their own, batch by batch, whatever the size; publishing only says from which version
 * on the type is read from there. The name of a replacement is the number of its table.
 */

export interface ReplacementOfType {
  readonly typeRid: string
  readonly replacement: string
  readonly callerId?: string
}

function ownerOf({ typeRid, callerId }: ReplacementOfType): WriteOwner {
  return { key: typeRid, callerId }
}

/**
 * The rows of a replacement carry a version of their own, given out now: which version they will
 * be published as is not known before the end, and is not written into every row then.
 */
export function startReplacement(
  store: Writable,
  { typeRid, callerId }: { readonly typeRid: string; readonly callerId: string },
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
    return String(await addObjectTable(session, table))
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
 * only if maintenance has seen the replacement idle. One whose row is locked is in use already.
 */
export async function touchReplacement({ database }: Writable, replacement: string): Promise<void> {
  const idle = 'oqs_object_table WHERE id = ? AND idle_since_ms IS NOT NULL'
  const id = replacementTableId(replacement)
  if ((await database.one(`SELECT 1 FROM ${idle}`, [id], { name: true })).length === 0) return
  await database.write((session) =>
    session.run(
      `UPDATE oqs_object_table SET idle_since_ms = NULL
       WHERE id IN (SELECT id FROM ${idle} FOR UPDATE SKIP LOCKED)`,
      [id],
    ),
  )
}

/**
 * Lets readers see the replacement instead of what the type held; `put` and `deleted` tell both.
 * Asked once more, because the first answer was lost, it answers the same.
 */
export async function publishReplacement(
  store: Writable,
  wish: ReplacementOfType,
): Promise<Commit> {
  try {
    return (await findPublished(store, wish)) ?? (await publish(store, wish))
  } catch (error) {
    // Somebody else may have been faster, who asked for the same.
    const done = isUnknown(error) ? await findPublished(store, wish) : undefined
    if (done === undefined) throw error
    return done
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof ObjectQueryError && error.errorName === 'ReplacementNotFound'
}

async function publish(store: Writable, wish: ReplacementOfType): Promise<Commit> {
  // One index at a time, and none while the type is locked: that takes long.
  while (await buildIndex(store, wish));
  if (store.capabilities.publishesApart) await waitForRows(store, wish)
  return writeInTurn(store, ownerOf(wish), async (session) => {
    const type = await lockExistingType(session, store.capabilities, wish.typeRid, 'change')
    const table = await lockReplacement(session, type.id, wish.replacement)
    await dropUnusableIndexes(session, type.id, table.id)
    // A field that was added since then, at most.
    while (await buildNextIndex(session, type.id, table.id));
    const before = await readTable(session, type.tableId)
    const version = type.lastVersion + 1
    await session.run(
      `UPDATE oqs_object_table SET state = 'published', first_version = ? WHERE id = ?`,
      [version, table.id],
    )
    await session.run('UPDATE oqs_object_type SET table_id = ? WHERE id = ?', [table.id, type.id])
    const counts = { put: table.liveCount, deleted: before.liveCount }
    await publishVersion(session, { typeId: type.id, version, ...counts })
    return { version, ...counts, kept: 0 }
  })
}

/** What the publication of a replacement did, for as long as that version is remembered. */
async function findPublished(
  { database }: Writable,
  { typeRid, replacement }: ReplacementOfType,
): Promise<Commit | undefined> {
  const [row] = await database.one(
    `SELECT l.version, l.put, l.deleted
     FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.object_type_id = t.id
     JOIN oqs_commit_log AS l ON l.object_type_id = t.id AND l.version = o.first_version
     WHERE t.rid = ? AND o.id = ? AND o.state = 'published' AND o.loaded_as < o.first_version`,
    [typeRid, Number(replacement)],
  )
  if (row === undefined) return undefined
  const [version, put, deleted] = row.map(Number)
  return { version: version ?? 0, put: put ?? 0, deleted: deleted ?? 0, kept: 0 }
}

/** Builds one of the indexes that readers need, then what plans are made from; false at the end. */
function buildIndex(store: Writable, wish: ReplacementOfType): Promise<boolean> {
  return writeInTurn(store, ownerOf(wish), async (session) => {
    const type = await lockExistingType(session, store.capabilities, wish.typeRid, 'load')
    const table = await lockReplacement(session, type.id, wish.replacement)
    // What is being published is not idle.
    await session.run('UPDATE oqs_object_table SET idle_since_ms = NULL WHERE id = ?', [table.id])
    if (!table.isCreated) {
      const made = { typeId: type.id, id: table.id, state: 'loading' } as const
      await createObjectTable(session, store.capabilities, made)
      return true
    }
    if (await buildNextIndex(session, type.id, table.id)) return true
    await session.extendTimeout()
    await session.query(`ANALYZE ${objectTable(table.id)}`)
    return false
  })
}

/**
 * Where rows lie on several machines, some may not have appeared yet, and some not gone. One that
 * came again is counted once, seen or unseen: building indexes has waited for it on every machine.
 */
function waitForRows(store: Writable, wish: ReplacementOfType): Promise<void> {
  return waitUntil(ROWS_NOT_VISIBLE, async () => {
    if (store.capabilities.distributes) await recoverPreparedTransactions(store.database)
    // Looked up each time: a batch that comes meanwhile changes it.
    const { id, liveCount } = await writeInTurn(store, ownerOf(wish), async (session) => {
      const type = await lockExistingType(session, store.capabilities, wish.typeRid, 'load')
      return lockReplacement(session, type.id, wish.replacement)
    })
    const count = await store.database.write(async (session) => {
      await session.extendTimeout()
      return session.query(`SELECT count(*) FROM ${objectTable(id)} WHERE valid_to = ${OPEN}`)
    }, ownerOf(wish))
    return Number(count[0]?.[0]) === liveCount
  })
}

/** Gives a replacement up; reclaiming removes what was loaded. */
export function abandonReplacement(store: Writable, wish: ReplacementOfType): Promise<void> {
  return writeInTurn(store, ownerOf(wish), async (session) => {
    const type = await lockExistingType(session, store.capabilities, wish.typeRid, 'load')
    const { id } = await lockReplacement(session, type.id, wish.replacement)
    await session.run(`UPDATE oqs_object_table SET state = 'abandoned' WHERE id = ?`, [id])
  })
}
