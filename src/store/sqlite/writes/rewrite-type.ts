/**
 * Rewrites the objects of types for their changed definitions, in the transaction that saves them:
 * readers see the old objects with the old definition, or the new ones with the new definition.
 */
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { recordBytes } from '../../batch.ts'
import { markKey } from '../../core/catalogue/fields.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { UnfitObject } from '../../definition-change.ts'
import { keptFields } from '../../sql/kept-fields.ts'
import { refuseUnfit, UNFIT_OBJECTS_MAX } from '../../sql/plan-types.ts'
import { ObjectRewriter, type RewrittenType } from '../../sql/rewrite-objects.ts'
import {
  addObjectTable,
  adoptTableFields,
  createObjectTable,
  numberFields,
  refuseTooManyIndexes,
} from '../catalogue/object-table.ts'
import { buildIndexes } from '../catalogue/table-indexes.ts'
import { columnsOf, putEncoder } from '../changes/change-message.ts'
import { runIn } from '../file/sqlite-session.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { publishCopies } from '../rewrite/rewrite-phases.ts'
import type { Rewrite } from '../rewrite/rewrite-states.ts'
import { type PublishedTable, publishedRows, readPublished } from '../staged/staged-record.ts'
import { publishVersion } from './publish-version.ts'
import { rowWriter } from './write-row.ts'

/**
 * Rewrites types, or throws with the first objects that do not fit. A dry run does everything but
 * reading and writing objects.
 */
export function rewriteTypes(
  db: WriterDatabase,
  types: readonly RewrittenType[],
  isDryRun: boolean,
): void {
  const unfit: UnfitObject[] = []
  for (const type of types) {
    rewriteType(db, type, unfit, isDryRun)
    if (unfit.length >= UNFIT_OBJECTS_MAX) break
  }
  refuseUnfit(unfit)
}

function rewriteType(
  db: WriterDatabase,
  rewritten: RewrittenType,
  unfit: UnfitObject[],
  isDryRun: boolean,
): void {
  const { id: typeId, type, generation } = rewritten
  const row = db.prepare('SELECT last_version FROM oqs_object_type WHERE id = ?').get(typeId)
  const lastVersion = Number(row?.['last_version'])
  abandonLoads(db, typeId)
  changeFields(db, rewritten)
  refuseTooManyIndexes(db, typeId)
  const version = lastVersion + 1
  const table = { typeId, state: 'published', firstVersion: version, loadedAs: version } as const
  const to = addObjectTable(db, table)
  createObjectTable(db, { typeId, id: to })
  const columns = columnsOf(type)
  const encode = putEncoder(columns)
  const rows = rowWriter(db, { typeId, table: to, columns })
  let [put, maxRecordBytes] = [0, 0]
  const rewriter = new ObjectRewriter(rewritten, unfit)
  const source = readPublished(db, typeId)
  for (const object of isDryRun ? [] : convertObjects(db, rewriter, source)) {
    rows.add(encode(object), version)
    put += 1
    maxRecordBytes = Math.max(maxRecordBytes, recordBytes(object))
  }
  rows.finish()
  if (unfit.length > 0) return
  buildIndexes(db, typeId, to)
  db.prepare('UPDATE oqs_object_table SET live_count = ?, max_record_bytes = ? WHERE id = ?').run(
    put,
    maxRecordBytes,
    to,
  )
  db.prepare(
    'UPDATE oqs_object_type SET table_id = ?1, redefined_table = ?1, redefined_generation = ?2 WHERE id = ?3',
  ).run(to, generation, typeId)
  publishVersion(db, { typeId, version, put, deleted: 0, kept: 0 })
}

/** Publishes the objects of a type that were converted in the background. */
export function publishRedefined(db: WriterDatabase, copy: Rewrite, generation: number): void {
  const { typeId, toTable } = copy
  abandonLoads(db, typeId)
  adoptTableFields(db, typeId, toTable)
  db.prepare(
    'UPDATE oqs_object_type SET redefined_table = ?, redefined_generation = ? WHERE id = ?',
  ).run(toTable, generation, typeId)
  publishCopies(db, copy, copy.totalObjects)
}

/** What was loaded for a replacement has the form of the earlier definition. */
function abandonLoads(db: WriterDatabase, typeId: number): void {
  db.prepare(
    `UPDATE oqs_object_table SET state = 'abandoned' WHERE object_type_id = ? AND state = 'loading'`,
  ).run(typeId)
}

/** Gives fields whose values change a new number, and renamed ones their new name. */
function changeFields(
  db: WriterDatabase,
  { id: typeId, before, type, change }: RewrittenType,
): void {
  const kept = keptFields(before, type, change.renamed)
  const rows = db
    .prepare('SELECT number, property FROM oqs_object_field WHERE object_type_id = ?')
    .all(typeId)
  const remove = db.prepare('DELETE FROM oqs_object_field WHERE number = ?')
  const rename = db.prepare('UPDATE oqs_object_field SET property = ? WHERE number = ?')
  for (const { number, property } of rows) {
    const name = kept.get(String(property))
    if (name === undefined) remove.run(Number(number))
    else if (name !== property) rename.run(name, Number(number))
  }
  numberFields(db, typeId, type)
  runIn(db, (session) => markKey(session, typeId, type))
}

/** Yields the converted objects in key order, up to the first one that does not fit. */
function* convertObjects(
  db: WriterDatabase,
  rewriter: ObjectRewriter,
  source: PublishedTable,
): Generator<StoredObject> {
  const { sql, values } = publishedRows(source)
  const current = db.prepare(
    `SELECT key, body FROM ${objectTable(source.table)} WHERE ${sql} ORDER BY pk`,
  )
  for (const row of current.iterate(...values)) {
    const object = rewriter.rewrite(String(row['key']), String(row['body']))
    if (rewriter.isDone) return
    // After the first object that does not fit, the others are only tried.
    if (object !== undefined && !rewriter.hasUnfit) yield object
  }
}
