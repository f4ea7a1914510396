/**
 * Carries out a background change of a definition. All types whose objects it converts are copied
 * like those of an older layout, see rewrite-next.ts. When only a few changed objects are left to
 * copy again, one transaction saves the definition and publishes the tables of all types; commits
 * wait only for that one. Locks are taken in this order: catalogue, types, rewrites, change.
 */
import type { LRUCache } from 'lru-cache'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { Catalogue } from '../../../ontology/catalogue.ts'
import type { CatalogueOptions } from '../../catalogue-memory.ts'
import type { UnfitObject } from '../../definition-change.ts'
import type { RewriteProgress } from '../../rewrite.ts'
import { UNFIT_OBJECTS_MAX } from '../../sql/plan-types.ts'
import {
  REDEFINED,
  refusalReasons,
  type TypeConverter,
  typeConverter,
} from '../../sql/stored-change.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import { convertedKeys } from './converted-keys.ts'
import type { ObjectCopier } from './copy-objects.ts'
import {
  ChangeFailure,
  type Failure,
  failChange,
  findRunningChanges,
  type RunningChange,
  readPlan,
  readUnfit,
  removeEndedCopies,
  saveUnfit,
  startCopies,
} from './definition-change.ts'
import { convertingCopier } from './object-copiers.ts'
import { publishChange } from './publish-change.ts'
import { deleteRewrite, type Rewrite, RewriteFailure } from './rewrite-state.ts'
import { advance, firstProgress, type RewriteSpec, runStep } from './rewrite-step.ts'

export interface ChangingStore extends PostgresContext {
  readCatalogue(options: CatalogueOptions): Promise<Catalogue>
  /** How the objects of types are converted, by change and type. */
  readonly converters: LRUCache<string, TypeConverter>
}

/** Runs one step of a change. Returns undefined if there is none, or if all wait for replacements. */
export async function nextChangeStep(store: ChangingStore): Promise<RewriteProgress | undefined> {
  await removeEndedCopies(store.database)
  const changes = await findRunningChanges(store.database)
  return firstProgress(changes.map((change) => () => changeStep(store, change)))
}

async function changeStep(
  store: ChangingStore,
  change: RunningChange,
): Promise<RewriteProgress | undefined> {
  const { ontologyRid } = change
  const types = await readTypes(store, change)
  const [first] = types
  if (first === undefined) {
    // Without effect if the change has ended meanwhile.
    await failChange(store.database, change, COPIES_LOST)
    return undefined
  }
  try {
    const progress = await takeStep(store, change, types)
    return progress && { ...progress, ontologyRid }
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    await failChange(store.database, change, failure)
    const { typeRid, objects, totalObjects } = first
    // Without the reasons: they contain keys, and progress is logged.
    const reason = 'the objects or other definitions do not allow the change'
    return { typeRid, ontologyRid, phase: 'failed', objects, totalObjects, reason }
  }
}

/** Nothing removes the rewrites of a running change, but without them it would never end. */
const COPIES_LOST: Failure = {
  reasons: ['the converted objects were lost; apply the definition again'],
  unfit: [],
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ChangeFailure) return error
  if (error instanceof RewriteFailure) return { reasons: [error.message], unfit: [] }
  const isRefused =
    error instanceof ObjectQueryError &&
    ['OntologyChangeRefused', 'InvalidOntologyDefinition'].includes(error.errorName)
  return isRefused ? { reasons: refusalReasons(error), unfit: [] } : undefined
}

/** A type whose objects are converted. */
interface ChangingType extends Pick<RewriteProgress, 'typeRid' | 'objects' | 'totalObjects'> {
  readonly phase: Rewrite['phase']
  /** Whether objects have changed that are not copied again yet. */
  readonly hasChanges: boolean
  /** Whether a replacement is open, also if it has no objects yet. */
  readonly isLoading: boolean
}

/**
 * Returns the types of a change, first the one with the fewest steps: they take turns. The table from
 * which one is copied may have been replaced and dropped since.
 */
async function readTypes(
  { database }: ChangingStore,
  { id }: RunningChange,
): Promise<ChangingType[]> {
  const rows = await database.query(
    `SELECT t.rid, r.phase, copies.live_count, source.live_count,
       t.published > r.noted_version OR t.table_id <> r.source_id OR t.generation <> r.generation
         OR EXISTS (SELECT 1 FROM oqs_rewrite_key AS k WHERE k.object_type_id = t.id),
       EXISTS (SELECT 1 FROM oqs_object_table AS l
         WHERE l.object_type_id = t.id AND l.state = 'loading')
     FROM oqs_rewrite AS r JOIN oqs_object_type AS t ON t.id = r.object_type_id
     JOIN oqs_object_table AS copies ON copies.id = r.table_id
     LEFT JOIN oqs_object_table AS source ON source.id = r.source_id
     WHERE r.change_id = ? ORDER BY r.steps, t.id`,
    [id],
  )
  return rows.map(([rid, phase, objects, totalObjects, hasChanges, isLoading]) => ({
    typeRid: String(rid),
    phase: phase as Rewrite['phase'],
    objects: Number(objects),
    totalObjects: Number(totalObjects),
    hasChanges: hasChanges === true,
    isLoading: isLoading === true,
  }))
}

async function takeStep(
  store: ChangingStore,
  change: RunningChange,
  types: readonly ChangingType[],
): Promise<RewriteProgress | undefined> {
  const isCopied = types.every(({ phase }) => phase === 'catchingUp')
  // Types that are copied already must keep up with commits too: rows that show a change may be
  // reclaimed.
  const next = types.find(({ phase, hasChanges }) => phase !== 'catchingUp' || hasChanges)
  if (next !== undefined) {
    const step = await advanceType(store, change, next.typeRid)
    if (step === undefined || step.isReady !== true || !isCopied) return step?.progress
  }
  if (types.some(({ isLoading }) => isLoading)) return undefined
  const converters = new Map<string, TypeConverter>()
  for (const { typeRid } of types) {
    const converter = await converterOf(store, change, typeRid)
    if (converter === undefined) return undefined
    converters.set(typeRid, converter)
  }
  return publishChange(store, change, (typeId, typeRid, rewrite) => {
    const converter = converters.get(typeRid)
    return converter && toCopier(converter, [], typeId, rewrite)
  })
}

async function advanceType(store: ChangingStore, change: RunningChange, typeRid: string) {
  const converter = await converterOf(store, change, typeRid)
  if (converter === undefined) return undefined
  const spec: RewriteSpec = {
    typeRid,
    changeId: change.id,
    // The rewrite itself knows for which definition it was planned.
    generation: Number.MAX_SAFE_INTEGER,
    copier: async (session, typeId, rewrite) =>
      toCopier(converter, await readUnfit(session, change, converter), typeId, rewrite),
    restart: async (session, type, rewrite) => {
      if (rewrite.generation !== type.generation) throw new ChangeFailure([REDEFINED])
      await deleteRewrite(session, type.id, rewrite)
      const copies = { typeId: type.id, changeId: change.id, type: converter.type }
      await startCopies(session, store.capabilities, copies)
      await saveUnfit(session, change, converter, [])
    },
  }
  return runStep(store, spec, 'load', async (session, tables, rewrite) => {
    const outcome = await advance(session, tables, rewrite, store.capabilities)
    await session.run('UPDATE oqs_rewrite SET steps = steps + 1 WHERE object_type_id = ?', [
      tables.typeId,
    ])
    const { unfit } = tables.copier
    if (unfit.length === 0) return outcome
    const found = await saveUnfit(session, change, converter, unfit)
    const isTried = rewrite.phase !== 'copying' || outcome.phase !== 'copying'
    // The first ten objects that do not fit are reported, not only the first one.
    if (isTried || unfit.length >= UNFIT_OBJECTS_MAX) {
      throw ChangeFailure.ofUnfit(found.slice(0, UNFIT_OBJECTS_MAX))
    }
    return outcome
  })
}

function toCopier(
  converter: TypeConverter,
  unfit: UnfitObject[],
  typeId: number,
  rewrite: Rewrite,
): ObjectCopier {
  return convertingCopier(converter, unfit, convertedKeys(typeId, rewrite, converter, unfit))
}

/** Returns how a change converts the objects of a type; undefined if it has ended. */
async function converterOf(
  { database, converters }: ChangingStore,
  change: RunningChange,
  typeRid: string,
): Promise<TypeConverter | undefined> {
  const name = `${change.id} ${typeRid}`
  const known = converters.get(name)
  if (known !== undefined) return known
  const read = await readPlan(database, change)
  if (read === undefined) return undefined
  const converter = typeConverter(read.before, read.plan, typeRid)
  converters.set(name, converter)
  return converter
}
