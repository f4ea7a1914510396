/**
 * Rewrites the objects of types for their changed definitions, in the transaction that saves them:
 * readers see the old objects with the old definition, or the new ones with the new definition.
 */
import { nextTurn } from '../../../admission/next-turn.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { recordBytes } from '../../batch.ts'
import { markKey } from '../../core/catalogue/fields.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { UnfitObject } from '../../definition-change.ts'
import { keptFields } from '../../sql/kept-fields.ts'
import { refuseUnfit, UNFIT_OBJECTS_MAX } from '../../sql/plan-types.ts'
import { ObjectRewriter, type RewrittenType } from '../../sql/rewrite-objects.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { adoptTableFields, numberFields, readFieldColumns } from '../catalogue/field-columns.ts'
import { allowLongTexts } from '../catalogue/long-text-indexes.ts'
import {
  addObjectTable,
  buildNextIndex,
  createObjectTable,
  refuseTooManyColumns,
} from '../catalogue/object-table.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import type { Rewrite } from '../rewrite/rewrite-state.ts'
import { publishCopies } from '../rewrite/rewrite-step.ts'
import { findLongTexts } from '../text/long-texts.ts'
import { Vocabulary } from '../text/vocabulary.ts'
import { copyRows } from './copy-rows.ts'
import { readTable } from './lock-type.ts'
import { publishVersion } from './publish-version.ts'

/**
 * Rewrites types, or throws with the first objects that do not fit. The types must be locked. A dry
 * run does everything but reading and writing objects.
 */
export async function rewriteTypes(
  session: WriteSession,
  capabilities: Capabilities,
  types: readonly RewrittenType[],
  isDryRun: boolean,
): Promise<void> {
  refuseSeparatePublication(
    capabilities,
    types.map(({ type }) => type),
  )
  const unfit: UnfitObject[] = []
  // All terms are saved at once, in their order, because other writers add terms at the same time:
  // saved in parts, they could deadlock.
  const vocabulary = new Vocabulary()
  for (const type of types) {
    await rewriteType(session, capabilities, type, { unfit, vocabulary, isDryRun })
    if (unfit.length >= UNFIT_OBJECTS_MAX) break
  }
  refuseUnfit(unfit)
  await vocabulary.save(session)
}

/** Rewritten rows could become visible later than the definition, on another machine. */
export function refuseSeparatePublication(
  { needsSeparatePublication }: Capabilities,
  types: readonly ObjectType[],
): void {
  if (!needsSeparatePublication || types.length === 0) return
  const reasons = types.map(
    ({ apiName }) =>
      `object type ${apiName} has objects on several machines. Add a type with the new definition, and load the objects into it (oqs export, oqs import)`,
  )
  throw new ObjectQueryError('OntologyChangeRefused', { reasons })
}

/** Objects that were converted in the background. */
export interface PreparedCopies {
  readonly typeId: number
  readonly rewrite: Rewrite
  /** The number of objects. */
  readonly count: number
  readonly lastVersion: number
}

/** Publishes the objects of a type that were converted in the background. */
export async function publishRedefined(
  session: WriteSession,
  { typeId, rewrite, count, lastVersion }: PreparedCopies,
  generation: number,
): Promise<void> {
  const { tableId } = rewrite
  await abandonLoads(session, typeId)
  await adoptTableFields(session, typeId, tableId)
  await session.run(
    'UPDATE oqs_object_type SET redefined_table = ?, redefined_generation = ? WHERE id = ?',
    [tableId, generation, typeId],
  )
  const version = { version: lastVersion + 1, put: count }
  await publishCopies(session, { typeId, tableId }, rewrite, version)
}

/** What was loaded for a replacement has the form of the earlier definition. */
async function abandonLoads(session: WriteSession, typeId: number): Promise<void> {
  await session.run(
    `UPDATE oqs_object_table SET state = 'abandoned' WHERE object_type_id = ? AND state = 'loading'`,
    [typeId],
  )
}

interface RewriteOptions {
  readonly unfit: UnfitObject[]
  readonly vocabulary: Vocabulary
  readonly isDryRun: boolean
}

async function rewriteType(
  session: WriteSession,
  capabilities: Capabilities,
  rewritten: RewrittenType,
  { unfit, vocabulary, isDryRun }: RewriteOptions,
): Promise<void> {
  const { id: typeId, generation } = rewritten
  const [row] = await session.query(
    'SELECT table_id, last_version FROM oqs_object_type WHERE id = ?',
    [typeId],
  )
  const [from = 0, lastVersion = 0] = (row ?? []).map(Number)
  await abandonLoads(session, typeId)
  await changeFields(session, rewritten)
  const version = lastVersion + 1
  const table = { typeId, state: 'published', firstVersion: version, loadedAs: version } as const
  const to = await addObjectTable(session, table)
  await createObjectTable(session, capabilities, { typeId, id: to, isLoading: true })
  await session.run(
    'UPDATE oqs_object_type SET table_id = ?, redefined_table = ?, redefined_generation = ? WHERE id = ?',
    [to, to, generation, typeId],
  )
  const rewriter = new ObjectRewriter(rewritten, unfit)
  let [put, maxRecordBytes] = [0, 0]
  for await (const objects of isDryRun ? [] : convertObjects(session, rewriter, from)) {
    const fields = await readFieldColumns(session, typeId)
    const target = { ...(await readTable(session, to)), liveCount: put }
    await allowLongTexts(session, typeId, target, await findLongTexts(fields, objects))
    await copyRows(session, objects, { table: target, version, fields, vocabulary })
    put += objects.length
    for (const object of objects) maxRecordBytes = Math.max(maxRecordBytes, recordBytes(object))
  }
  if (unfit.length > 0) return
  const loaded = await readTable(session, to)
  while (await buildNextIndex(session, capabilities, typeId, loaded));
  await session.run(
    'UPDATE oqs_object_table SET live_count = ?, max_record_bytes = ? WHERE id = ?',
    [put, maxRecordBytes, to],
  )
  await publishVersion(session, { typeId, version, put, deleted: 0 })
}

/** Gives fields whose values change a new number, and renamed ones their new name. */
async function changeFields(
  session: WriteSession,
  { id: typeId, before, type, change }: RewrittenType,
): Promise<void> {
  const kept = keptFields(before, type, change.renamed)
  const fields = await readFieldColumns(session, typeId)
  const removed = fields.filter(({ property }) => !kept.has(property))
  await session.run('DELETE FROM oqs_object_field WHERE number = ANY(?)', [
    removed.map(({ number }) => number),
  ])
  const renamed = fields.flatMap(({ number, property }) => {
    const name = kept.get(property)
    return name === undefined || name === property ? [] : [{ number, name }]
  })
  await session.run(
    `UPDATE oqs_object_field AS f SET property = renamed.name
     FROM unnest(?::bigint[], ?::text[]) AS renamed (number, name) WHERE f.number = renamed.number`,
    [renamed.map(({ number }) => number), renamed.map(({ name }) => name)],
  )
  await numberFields(session, typeId, type)
  await runIn(session, (core) => markKey(core, typeId, type))
  refuseTooManyColumns(type, await readFieldColumns(session, typeId))
}

/** A part has at most this many objects and, unless one is larger, bytes. */
const OBJECTS_AT_ONCE = 1000
const BYTES_AT_ONCE = 4 * 1024 * 1024

/** Yields the converted objects in parts, in key order. */
async function* convertObjects(
  session: WriteSession,
  rewriter: ObjectRewriter,
  from: number,
): AsyncGenerator<readonly StoredObject[]> {
  for (let after = ''; ; ) {
    // The size of a long text is known without reading it.
    const rows = await session.query(
      `SELECT pk, key, body FROM (
         SELECT *, row_number() OVER () AS position,
           sum(octet_length(body)) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
         FROM (
           SELECT pk, key, body FROM ${objectTable(from)}
           WHERE valid_to = ${NEVER_CLOSED} AND pk > ? ORDER BY pk LIMIT ${OBJECTS_AT_ONCE}
         ) AS next
       ) AS sized WHERE position = 1 OR bytes <= ${BYTES_AT_ONCE} ORDER BY pk`,
      [after],
    )
    if (rows.length === 0) return
    const objects: StoredObject[] = []
    for (const [index, [, key, body]] of rows.entries()) {
      const object = rewriter.rewrite(String(key), String(body))
      if (object !== undefined) objects.push(object)
      if (rewriter.isDone) return
      if (index % OBJECTS_PER_TURN === OBJECTS_PER_TURN - 1) await nextTurn()
    }
    // After the first object that does not fit, the others are only tried.
    if (!rewriter.hasUnfit) yield objects
    after = String(rows.at(-1)?.[0])
  }
}

/** Converting this many objects takes a few milliseconds. */
const OBJECTS_PER_TURN = 100
