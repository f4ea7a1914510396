/**
 * Rewrites the objects of types for their changed definitions, in the transaction that saves them:
 * readers see the old objects with the old definition, or the new ones with the new definition.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { UnfitObject } from '../../port/definitions.ts'
import {
  type RewriteStep,
  refuseUnfit,
  UNFIT_OBJECTS_MAX,
} from '../../sql/plan-definition-change.ts'
import { toConverter } from '../../sql/stored-change.ts'
import { buildIndexes } from '../catalogue/build-table.ts'
import { numberFields } from '../catalogue/fields.ts'
import type { Operation } from '../session/session.ts'
import { addTable, type TableBuilder } from './construction.ts'
import type { Copying } from './convert-rows.ts'
import { copyAll } from './copy-objects.ts'
import { cancelRewrite, lockRewrite, type Rewrite } from './rewrite-records.ts'
import { copyingOf, publishRedefined, startRewrite } from './rewrite-table.ts'

/** A type to rewrite, with its definitions before and after the change. */
export interface RewrittenType extends RewriteStep {
  readonly before: ObjectType
  readonly type: ObjectType
  /** The generation of the catalogue with the new definition. */
  readonly generation: number
}

/**
 * Rewrites types, or throws with the first objects that do not fit. The types must be locked. A dry
 * run does everything but reading and writing objects.
 */
export function* redefineTypes(
  builder: TableBuilder,
  types: readonly RewrittenType[],
  isDryRun: boolean,
): Operation<void> {
  const unfit: UnfitObject[] = []
  for (const type of types) {
    yield* redefineType(builder, type, unfit, isDryRun)
    if (unfit.length >= UNFIT_OBJECTS_MAX) break
  }
  refuseUnfit(unfit)
  yield* builder.finish()
}

/** The name of a change that is carried out in one transaction: no other transaction sees it. */
const AT_ONCE = 'at once'

function* redefineType(
  builder: TableBuilder,
  { id: typeId, before, type, change, generation }: RewrittenType,
  unfit: UnfitObject[],
  isDryRun: boolean,
): Operation<void> {
  const { tableId, ...rewrite } = yield* restartRewrite(builder, typeId, {
    changeId: AT_ONCE,
    type,
  })
  if (!isDryRun) {
    const converter = toConverter(before, type, change.renamed)
    yield* copyAtOnce(builder, typeId, { ...rewrite, tableId }, { converter, unfit })
    if (unfit.length > 0) return
  } else yield* buildIndexes(builder, { typeId, id: tableId })
  yield* publishRedefined(builder, { typeId, tableId }, generation)
}

/** Copies all objects of a type, which is locked, and builds the indexes, unless one does not fit. */
export function* copyAtOnce(
  builder: TableBuilder,
  typeId: number,
  rewrite: Rewrite,
  conversion: Pick<Copying, 'converter' | 'unfit'>,
): Operation<void> {
  yield* copyAll(builder, yield* copyingOf(builder, typeId, rewrite, conversion))
  if (conversion.unfit.length === 0) yield* buildIndexes(builder, { typeId, id: rewrite.tableId })
}

/**
 * Gives a type without objects a table for its changed definition, which is created with the first
 * object. Snapshots of earlier versions still read the earlier table.
 */
export function* recreateTable(
  builder: TableBuilder,
  typeId: number,
  type: ObjectType,
  generation: number,
): Operation<void> {
  yield* cancelEnded(builder, typeId)
  const tableId = yield* addTable(builder, typeId, 'rewriting')
  yield* numberFields(builder.session, builder.tables, [{ typeId, tableId, type }])
  yield* publishRedefined(builder, { typeId, tableId }, generation)
}

/** Cancels the rewrite of a change that has ended. */
function* cancelEnded(builder: TableBuilder, typeId: number): Operation<void> {
  const other = yield* lockRewrite(builder.session, typeId)
  if (other !== undefined && other !== 'busy') yield* cancelRewrite(builder, typeId, other)
}

/** Starts a rewrite, in place of one whose change has ended. */
export function* restartRewrite(
  builder: TableBuilder,
  typeId: number,
  redefined: { readonly changeId: string; readonly type: ObjectType },
): Operation<Rewrite> {
  yield* cancelEnded(builder, typeId)
  yield* startRewrite(builder, typeId, redefined)
  const rewrite = yield* lockRewrite(builder.session, typeId)
  if (rewrite === undefined || rewrite === 'busy') throw new Error(`no rewrite of type ${typeId}`)
  return rewrite
}
