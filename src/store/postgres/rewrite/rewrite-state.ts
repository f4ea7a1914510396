/** The rewrites in the catalogue: which type is rewritten, how far, and what changed meanwhile. */

import { CURRENT_LAYOUT, objectTable } from '../../core/catalogue/object-tables.ts'
import type { RewriteState } from '../../rewrite.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import type { Database, Session, WriteSession } from '../driver/database.ts'

export interface Rewrite {
  readonly phase: RewriteState['phase']
  readonly sourceId: number
  readonly tableId: number
  readonly generation: number
  readonly copiedTo: string
  readonly notedVersion: number
  /** The change for which objects are converted; undefined for a new layout. */
  readonly changeId: string | undefined
}

/** The copies are not complete. The rewrite of the type stops; those of other types go on. */
export class RewriteFailure extends Error {}

/** A replacement of an older layout may have to take over the current objects. */
const HAS_OLDER_REPLACEMENT = `EXISTS (SELECT 1 FROM oqs_object_table AS l
  WHERE l.object_type_id = t.id AND l.state = 'loading' AND l.is_created AND l.layout < ${CURRENT_LAYOUT})`

/** Returns the types to rewrite into a new layout: first those in progress, then the smallest. */
export async function findTypesToRewrite(
  database: Database,
): Promise<{ readonly typeRid: string; readonly isStarted: boolean }[]> {
  const rows = await database.query(
    `SELECT t.rid, r.object_type_id IS NOT NULL FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.id = t.table_id
     LEFT JOIN oqs_rewrite AS r ON r.object_type_id = t.id
     WHERE r.change_id IS NULL AND CASE WHEN r.object_type_id IS NULL
       THEN o.is_created AND o.layout < ${CURRENT_LAYOUT} AND NOT ${HAS_OLDER_REPLACEMENT}
       ELSE r.phase <> 'failed' OR r.generation <> t.generation OR r.source_id <> t.table_id END
     ORDER BY r.object_type_id, o.live_count, t.id`,
  )
  return rows.map(([rid, isStarted]) => ({ typeRid: String(rid), isStarted: isStarted === true }))
}

/** Locks the rewrite of a type. Returns `busy` if another node works on it, undefined if none is. */
export async function lockRewrite(
  session: WriteSession,
  typeId: number,
): Promise<Rewrite | 'busy' | undefined> {
  const [row] = await session.query(
    `SELECT phase, source_id, table_id, generation, copied_to, noted_version, change_id
     FROM oqs_rewrite
     WHERE object_type_id = ? FOR UPDATE SKIP LOCKED`,
    [typeId],
  )
  if (row === undefined) {
    const rows = await session.query('SELECT 1 FROM oqs_rewrite WHERE object_type_id = ?', [typeId])
    return rows.length > 0 ? 'busy' : undefined
  }
  const [phase, sourceId, tableId, generation, copiedTo, notedVersion, changeId] = row
  return {
    phase: phase as Rewrite['phase'],
    sourceId: Number(sourceId),
    tableId: Number(tableId),
    generation: Number(generation),
    copiedTo: String(copiedTo),
    notedVersion: Number(notedVersion),
    changeId: changeId === null ? undefined : String(changeId),
  }
}

export async function saveRewrite(
  session: WriteSession,
  typeId: number,
  rewrite: Omit<Rewrite, 'phase' | 'copiedTo'>,
): Promise<void> {
  const { sourceId, tableId, generation, notedVersion, changeId = null } = rewrite
  await session.run(
    `INSERT INTO oqs_rewrite
       (object_type_id, phase, source_id, table_id, generation, noted_version, change_id)
     VALUES (?, 'copying', ?, ?, ?, ?, ?)`,
    [typeId, sourceId, tableId, generation, notedVersion, changeId],
  )
}

export async function savePhase(
  session: WriteSession,
  typeId: number,
  { phase, copiedTo }: Pick<Rewrite, 'phase' | 'copiedTo'>,
): Promise<void> {
  await session.run('UPDATE oqs_rewrite SET phase = ?, copied_to = ? WHERE object_type_id = ?', [
    phase,
    copiedTo,
    typeId,
  ])
}

/** Marks a rewrite as failed; reclaim removes the copies. */
export async function saveFailure(
  session: WriteSession,
  typeId: number,
  { tableId }: Rewrite,
  reason: string,
): Promise<void> {
  await abandonCopies(session, tableId)
  await session.run(
    `UPDATE oqs_rewrite SET phase = 'failed', reason = ? WHERE object_type_id = ?`,
    [reason, typeId],
  )
  await session.run('DELETE FROM oqs_rewrite_key WHERE object_type_id = ?', [typeId])
}

/** Deletes a rewrite. Unless its copies were published, reclaim removes them. */
export async function deleteRewrite(
  session: WriteSession,
  typeId: number,
  { tableId }: Rewrite,
): Promise<void> {
  await abandonCopies(session, tableId)
  await session.run('DELETE FROM oqs_rewrite WHERE object_type_id = ?', [typeId])
}

async function abandonCopies(session: WriteSession, tableId: number): Promise<void> {
  await session.run(
    `UPDATE oqs_object_table SET state = 'abandoned' WHERE id = ? AND state = 'rewriting'`,
    [tableId],
  )
  await session.run('DELETE FROM oqs_table_field WHERE table_id = ?', [tableId])
}

/**
 * Lists the copied objects that have changed since the changes were last listed, by the versions of
 * their rows, so commits need not know of the rewrite. Returns false if rows that show a change may have been reclaimed.
 */
export async function noteChanges(
  session: WriteSession,
  type: { readonly id: number; readonly published: number },
  { phase, sourceId, copiedTo, notedVersion }: Rewrite,
): Promise<boolean> {
  if (type.published > notedVersion) {
    const isCopied = phase === 'copying' ? 'pk <= ?' : '?::text IS NOT NULL'
    const source = objectTable(sourceId)
    await session.run(
      `INSERT INTO oqs_rewrite_key (object_type_id, pk)
       SELECT ?::bigint, pk FROM (
         SELECT pk FROM ${source} WHERE valid_from > ?
         UNION SELECT pk FROM ${source} WHERE valid_to > ? AND valid_to < ${NEVER_CLOSED}
       ) AS changed WHERE ${isCopied}
       ON CONFLICT DO NOTHING`,
      [type.id, notedVersion, notedVersion, copiedTo],
    )
    await session.run('UPDATE oqs_rewrite SET noted_version = ? WHERE object_type_id = ?', [
      type.published,
      type.id,
    ])
  }
  // Read last: reclaim saves it before it deletes the first row.
  const [row] = await session.query('SELECT oldest FROM oqs_object_type WHERE id = ?', [type.id])
  return Number(row?.[0]) <= notedVersion
}

/** Returns some keys of changed objects. */
export async function readChangedKeys(
  session: Session,
  typeId: number,
  limit: number,
): Promise<string[]> {
  const rows = await session.query(
    'SELECT pk FROM oqs_rewrite_key WHERE object_type_id = ? ORDER BY pk LIMIT ?',
    [typeId, limit],
  )
  return rows.map(([pk]) => String(pk))
}

export async function deleteChangedKeys(
  session: WriteSession,
  typeId: number,
  keys: readonly string[],
): Promise<void> {
  await session.run(
    'DELETE FROM oqs_rewrite_key WHERE object_type_id = ? AND pk = ANY(?::text[])',
    [typeId, keys],
  )
}

/**
 * Returns the rewrites as the status shows them; only those for a change if it is given. The rewrites
 * of a change that has ended are left out: they are about to be removed.
 */
export async function readRewriteStates(
  database: Database,
  changeId?: string,
): Promise<RewriteState[]> {
  const rows = await database.query(
    `SELECT t.rid, r.phase, copies.live_count, source.live_count, r.reason, c.ontology_rid
     FROM oqs_rewrite AS r
     JOIN oqs_object_type AS t ON t.id = r.object_type_id
     JOIN oqs_object_table AS source ON source.id = r.source_id
     LEFT JOIN oqs_object_table AS copies ON copies.id = r.table_id
     LEFT JOIN oqs_definition_change AS c ON c.id = r.change_id AND c.state = 'running'
     WHERE CASE WHEN ?::text IS NULL THEN r.change_id IS NULL OR c.id IS NOT NULL
       ELSE c.id = ?::text END ORDER BY t.id`,
    [changeId ?? null, changeId ?? null],
  )
  return rows.map(([rid, phase, objects, totalObjects, reason, ontologyRid]) => ({
    typeRid: String(rid),
    ...(ontologyRid === null ? {} : { ontologyRid: String(ontologyRid) }),
    phase: phase as RewriteState['phase'],
    objects: Number(objects ?? 0),
    totalObjects: Number(totalObjects),
    ...(reason === null ? {} : { reason: String(reason) }),
  }))
}
