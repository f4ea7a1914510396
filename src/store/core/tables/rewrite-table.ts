/**
 * The phases of a table that the service fills with the current objects of a type, converted to
 * another definition. Each phase takes one or many steps; a step is a short transaction whose progress
 * is in the catalogue, so that any process can continue after a crash.
 *
 * 1. `copying`: the current objects are copied in key order.
 * 2. `indexing`: the indexes are built, one per step.
 * 3. `catchingUp`: objects that commits have changed since are copied again, until few are left. The
 *    last ones are copied in the transaction that publishes the table.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { RewritePhase } from '../../port/maintenance.ts'
import type { UnindexedFields } from '../../sql/compile/field-numbers.ts'
import {
  buildIndexes,
  buildNextIndex,
  createTable,
  hasMissingIndex,
  type TableOfType,
} from '../catalogue/build-table.ts'
import { adoptTableFields, numberFields, unindexedFields } from '../catalogue/fields.ts'
import { readType } from '../commits/locked-type.ts'
import { boolean, integer, type Operation } from '../session/session.ts'
import { abandonLoads, addTable, publishTable, type TableBuilder } from './construction.ts'
import type { Copying } from './convert-rows.ts'
import { copyAgain, copyNext } from './copy-objects.ts'
import {
  addRewrite,
  ChangeFailure,
  countCopies,
  deleteRewrite,
  type Rewrite,
  saveProgress,
  takeChangedKeys,
} from './rewrite-records.ts'

/** Why the objects of a type are converted, and to which definition. */
export interface Redefined {
  readonly changeId: string
  readonly type: ObjectType
}

/** Adds an empty table for the copies of a type, which must be locked. */
export function* startRewrite(
  builder: TableBuilder,
  typeId: number,
  { changeId, type }: Redefined,
): Operation<void> {
  const unindexed = yield* createSource(builder, typeId)
  const id = yield* addTable(builder, typeId, 'rewriting')
  yield* numberFields(builder.session, builder.tables, [{ typeId, tableId: id, type }])
  yield* createTable(builder, { typeId, id }, unindexedIn(type, unindexed))
  yield* addRewrite(builder.session, typeId, id, changeId)
}

/** Returns which of the fields that had no index have none in another definition. */
function unindexedIn(
  { properties }: ObjectType,
  before: UnindexedFields | undefined,
): UnindexedFields {
  const isText = (property: string) => {
    const type = properties.get(property)?.type
    return type?.kind === 'scalar' && type.type === 'string'
  }
  const fields = [...(before ?? [])]
  return new Map(
    fields.filter(([key, reason]) => reason !== 'added' && (reason !== 'freeText' || isText(key))),
  )
}

/**
 * Returns which fields of the table from which the copies are made have no index. The table of a type
 * without objects may not be created yet.
 */
function* createSource(
  builder: TableBuilder,
  typeId: number,
): Operation<UnindexedFields | undefined> {
  const source = yield* builder.session.find(
    `SELECT o.id, o.is_created, o.unindexed_fields FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.id = ?`,
    [typeId],
    { id: integer, isCreated: boolean, unindexedFields },
  )
  if (source === undefined || source.isCreated) return source?.unindexedFields
  const table = { typeId, id: source.id }
  yield* createTable(builder, table)
  yield* buildIndexes(builder, table)
  return undefined
}

/** Returns what a rewrite copies. */
export function* copyingOf(
  { session }: TableBuilder,
  typeId: number,
  { sourceId, tableId, notedVersion }: Rewrite,
  conversion: Pick<Copying, 'converter' | 'unfit'>,
): Operation<Copying> {
  const tables = yield* session.find(
    `SELECT copies.loaded_as, source.max_record_bytes
     FROM oqs_object_table AS copies, oqs_object_table AS source
     WHERE copies.id = ? AND source.id = ?`,
    [tableId, sourceId],
    { version: integer, maxRecordBytes: integer },
  )
  if (tables === undefined) throw new Error(`no table ${tableId} or ${sourceId}`)
  return { typeId, sourceId, tableId, notedVersion, ...tables, ...conversion }
}

/** True if the objects that are copied are still those of the type, in the form of its definition. */
export function isCurrent(
  { sourceId, generation }: Rewrite,
  type: { readonly tableId: number; readonly generation: number },
): boolean {
  return sourceId === type.tableId && generation === type.generation
}

/**
 * Lists what commits have changed. Returns false if rows that show a change may have been reclaimed,
 * so that the objects must be copied again from the beginning.
 */
export function* listChanges(
  builder: TableBuilder,
  type: { readonly id: number; readonly published: number },
  rewrite: Rewrite,
): Operation<boolean> {
  const { session } = builder
  if (type.published > rewrite.notedVersion) {
    yield* builder.listChanges({ ...rewrite, typeId: type.id })
    yield* session.run('UPDATE oqs_rewrite SET noted_version = ? WHERE object_type_id = ?', [
      type.published,
      type.id,
    ])
  }
  // Read last: reclaim saves it before it deletes the first row.
  const row = yield* session.find('SELECT oldest FROM oqs_object_type WHERE id = ?', [type.id], {
    oldest: integer,
  })
  return row !== undefined && row.oldest <= rewrite.notedVersion
}

export interface StepOutcome {
  readonly phase: RewritePhase
  /** Whether the copies can be published. */
  readonly isReady?: boolean
}

/** Copies some objects, builds an index, or copies some objects again. */
export function* advance(
  builder: TableBuilder,
  copying: Copying,
  rewrite: Rewrite,
): Operation<StepOutcome> {
  const outcome = yield* nextStep(builder, copying, rewrite)
  const { phase, copiedTo } = outcome
  yield* saveProgress(builder.session, copying.typeId, { phase, copiedTo })
  return outcome
}

function* nextStep(
  builder: TableBuilder,
  copying: Copying,
  { phase, copiedTo }: Rewrite,
): Operation<StepOutcome & Pick<Rewrite, 'phase' | 'copiedTo'>> {
  const table = tableOf(copying)
  if (phase === 'copying') {
    const { lastKey, isLast } = yield* copyNext(builder, copying, copiedTo)
    return { phase: isLast ? 'indexing' : phase, copiedTo: lastKey }
  }
  // An index may have been exchanged because of a long text.
  if (yield* buildNextIndex(builder, table)) return { phase, copiedTo }
  if (phase === 'indexing') {
    yield* builder.analyze(table)
    return { phase: 'catchingUp', copiedTo }
  }
  return { phase, copiedTo, isReady: yield* catchUp(builder, copying) }
}

function tableOf({ typeId, tableId }: Copying): TableOfType {
  return { typeId, id: tableId }
}

/** Copies changed objects again. Returns false if many are left. */
export function* catchUp(builder: TableBuilder, copying: Copying): Operation<boolean> {
  // Taken first, so that a copy of this step is not mistaken for one whose original has changed.
  const { keys, isLast } = yield* takeChangedKeys(builder.session, copying.typeId)
  yield* copyAgain(builder, copying, keys)
  return isLast
}

/**
 * Returns false if an index is missing. A long text among the last changes dropped it: the next step
 * builds the one for it, without the lock that commits wait for. Throws if the copies are not
 * complete.
 */
export function* areCopiesComplete(builder: TableBuilder, copying: Copying): Operation<boolean> {
  if (yield* hasMissingIndex(builder, tableOf(copying))) return false
  const { objects, totalObjects } = yield* countCopies(builder.session, copying)
  if (objects !== totalObjects) {
    throw new ChangeFailure([`copied ${objects} of ${totalObjects} objects`])
  }
  return true
}

export interface PublishedCopies {
  readonly typeId: number
  readonly tableId: number
}

/** Publishes copies that have the form of another definition. */
export function* publishRedefined(
  builder: TableBuilder,
  copies: PublishedCopies,
  generation: number,
): Operation<void> {
  const { session } = builder
  const { typeId, tableId } = copies
  // What was loaded for a replacement has the form of the earlier definition.
  yield* abandonLoads(session, typeId)
  yield* adoptTableFields(session, { typeId, id: tableId })
  yield* session.run(
    'UPDATE oqs_object_type SET redefined_table = ?, redefined_generation = ? WHERE id = ?',
    [tableId, generation, typeId],
  )
  const { objects: put } = yield* countCopies(session, { sourceId: tableId, tableId })
  const { lastVersion } = yield* readType(session, typeId)
  yield* publishTable(session, { typeId, id: tableId }, { lastVersion, put, deleted: 0, kept: 0 })
  yield* deleteRewrite(session, typeId)
}
