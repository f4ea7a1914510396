/** Adds the current objects of a type to a replacement that must not delete them. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { refuseLargeMerge } from '../../batch.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Commit, PublishMode } from '../../object-store.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { copyMissing } from '../rewrite/copy-objects.ts'
import { unchangedCopier } from '../rewrite/object-copiers.ts'
import type { WriteTable } from './lock-type.ts'

interface MergeSpec {
  readonly typeId: number
  readonly objectType: ObjectType
  readonly mode: PublishMode
}

/** Returns what a publication changes. Must run while the type is locked. */
export async function mergeCurrent(
  session: WriteSession,
  { capabilities }: PostgresContext,
  { typeId, objectType, mode }: MergeSpec,
  from: WriteTable,
  to: WriteTable,
): Promise<Pick<Commit, 'put' | 'deleted' | 'kept'>> {
  if (mode === 'replace') return { put: to.liveCount, deleted: from.liveCount, kept: 0 }
  if (from.liveCount === 0) return { put: to.liveCount, deleted: 0, kept: 0 }
  if (capabilities.needsSeparatePublication) {
    // Copied rows could become visible later than the version, on another machine.
    throw new ObjectQueryError('ServiceUnavailable', {
      reason: 'Objects were written to the type while it was loaded. Write the objects again.',
    })
  }
  refuseLargeMerge(from.liveCount)
  await session.extendTimeout()
  const [old, loaded] = [objectTable(from.id), objectTable(to.id)]
  const isBoth = `old.pk = loaded.pk AND old.valid_to = ${NEVER_CLOSED} AND loaded.valid_to = ${NEVER_CLOSED}`
  const kept =
    mode === 'append'
      ? await session.run(`DELETE FROM ${loaded} AS loaded USING ${old} AS old WHERE ${isBoth}`)
      : 0
  let copied = 0
  if (from.layout === to.layout) {
    const columns = (await session.query(COLUMNS_SQL, [loaded])).map(([name]) => String(name))
    copied = await session.run(
      `INSERT INTO ${loaded} (valid_from, ${columns.join(', ')})
       SELECT ?, ${columns.join(', ')} FROM ${old} AS old WHERE valid_to = ${NEVER_CLOSED}
         AND NOT EXISTS (SELECT 1 FROM ${loaded} AS loaded WHERE ${isBoth})`,
      [to.loadedAs],
    )
  } else {
    // Tables of different layouts have different columns and terms. Counts what it copies.
    const copier = unchangedCopier(objectType)
    await copyMissing(session, { typeId, copier, sourceId: from.id, tableId: to.id })
  }
  await session.run(
    `UPDATE oqs_object_table SET live_count = live_count + ?,
       max_record_bytes = greatest(max_record_bytes, ?) WHERE id = ?`,
    [copied - kept, from.maxRecordBytes, to.id],
  )
  return { put: to.liveCount - kept, deleted: 0, kept }
}

/** All columns but the versions. Tables of a type have the same in a layout, in any order. */
const COLUMNS_SQL = `SELECT attname FROM pg_attribute
  WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped
    AND attname NOT IN ('valid_from', 'valid_to')`
