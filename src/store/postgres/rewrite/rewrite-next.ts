/**
 * Rewrites types whose tables have an earlier layout, one bounded transaction after the other. The
 * objects are copied into a new table while commits go on; then indexes are built, objects that were
 * changed since are copied again, and the table is published as a version without changes. Earlier
 * versions are read from the earlier table until they expire. Any node can take the next step.
 */
import type { Catalogue } from '../../../ontology/catalogue.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { RefusedObject } from '../../../ontology/values/read-object.ts'
import type { RewriteProgress } from '../../rewrite.ts'
import { OPEN } from '../../sql/new-table.ts'
import {
  addObjectTable,
  buildNextIndex,
  createObjectTable,
  findMissingIndex,
  objectTable,
} from '../catalogue/object-table.ts'
import { LAYOUT } from '../catalogue/table-layout.ts'
import { recoverPreparedTransactions } from '../citus/capabilities.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { type LockedType, lockType, readTable, type TypeLock } from '../writes/lock-type.ts'
import { publishVersion } from '../writes/publish-version.ts'
import { type CopiedTables, copyAgain, copyNext, OBJECTS_PER_STEP } from './copy-objects.ts'
import {
  deleteChangedKeys,
  deleteRewrite,
  findTypesToRewrite,
  lockRewrite,
  noteChanges,
  type Rewrite,
  RewriteFailure,
  readChangedKeys,
  saveFailure,
  savePhase,
  saveRewrite,
} from './rewrite-state.ts'

export interface RewriteStore extends PostgresContext {
  readCatalogue(): Promise<Catalogue>
}

/** Takes one step, and returns the progress; undefined if there is nothing that this node can do. */
export async function rewriteNext(store: RewriteStore): Promise<RewriteProgress | undefined> {
  for (const { typeRid, isStarted } of await findTypesToRewrite(store.database)) {
    const progress = isStarted ? await continueRewrite(store, typeRid) : await start(store, typeRid)
    if (progress !== undefined) return progress
  }
  return undefined
}

/** Adds an empty table for the copies. Their rows have a version that is allocated now. */
function start(store: RewriteStore, typeRid: string): Promise<RewriteProgress | undefined> {
  return writeInTurn(store, { key: typeRid }, async (session) => {
    const type = await lockType(session, store.capabilities, typeRid, 'commit')
    if (type === undefined || (await lockRewrite(session, type.id)) !== undefined) return undefined
    const source = await readTable(session, type.tableId)
    if (!source.isCreated || source.layout >= LAYOUT) return undefined
    const version = type.lastVersion + 1
    await session.run('UPDATE oqs_object_type SET last_version = ? WHERE id = ?', [
      version,
      type.id,
    ])
    const copies = { state: 'rewriting', firstVersion: version, loadedAs: version } as const
    const tableId = await addObjectTable(session, { typeId: type.id, ...copies })
    const created = { typeId: type.id, id: tableId, isLoading: true }
    await createObjectTable(session, store.capabilities, created)
    await saveRewrite(session, type.id, {
      sourceId: source.id,
      tableId,
      generation: type.generation,
      notedVersion: type.published,
    })
    return { typeRid, phase: 'copying', objects: 0, totalObjects: source.liveCount }
  })
}

async function continueRewrite(
  store: RewriteStore,
  typeRid: string,
): Promise<RewriteProgress | undefined> {
  const catalogue = await store.readCatalogue()
  const objectType = catalogue.ontologies
    .flatMap(({ objectTypes }) => [...objectTypes.values()])
    .find(({ rid }) => rid === typeRid)
  if (objectType === undefined) return undefined
  const definition = { objectType, generation: catalogue.generation }
  try {
    const advanced = await runStep(store, definition, 'load', advance)
    if (advanced?.isReady !== true) return advanced?.progress
    if (store.capabilities.isDistributed) await recoverPreparedTransactions(store.database)
    return (await runStep(store, definition, 'commit', publish))?.progress
  } catch (error) {
    if (!(error instanceof RefusedObject || error instanceof RewriteFailure)) throw error
    const { message } = error
    const fail: Step = async (session, { typeId }, rewrite) => {
      await saveFailure(session, typeId, rewrite, message)
      return { phase: 'failed', reason: message }
    }
    return (await runStep(store, definition, 'load', fail))?.progress
  }
}

/** A step of a rewrite. The type and the rewrite are locked. */
type Step = (
  session: WriteSession,
  tables: CopiedTables,
  rewrite: Rewrite,
  store: RewriteStore,
  type: LockedType,
) => Promise<Outcome>

interface Outcome extends Pick<RewriteProgress, 'phase' | 'reason'> {
  /** Whether the copies can be published. */
  readonly isReady?: boolean
}

interface Definition {
  readonly objectType: ObjectType
  /** The generation of the catalogue that contained it. */
  readonly generation: number
}

/** Runs a step in a transaction. Returns undefined if another node works on the type. */
function runStep(
  store: RewriteStore,
  { objectType, generation }: Definition,
  lock: TypeLock,
  step: Step,
): Promise<{ readonly progress: RewriteProgress; readonly isReady: boolean } | undefined> {
  const { rid: typeRid } = objectType
  // With a key of its own: commits of the type need not wait until a step ends.
  return writeInTurn(store, { key: `rewrite ${typeRid}` }, async (session) => {
    const type = await lockType(session, store.capabilities, typeRid, lock)
    // The next step reads the catalogue again.
    if (type === undefined || type.generation > generation) return undefined
    const rewrite = await lockRewrite(session, type.id)
    if (rewrite === undefined || rewrite === 'busy') return undefined
    // Not before the locks are held: waiting for a lock keeps the short timeout.
    await session.extendTimeout()
    const before = await countsOf(session, rewrite)
    const isCurrent = rewrite.sourceId === type.tableId && rewrite.generation === type.generation
    if (!isCurrent || !(await noteChanges(session, type, rewrite))) {
      await deleteRewrite(session, type.id, rewrite)
      return { progress: { typeRid, phase: 'cancelled', ...before }, isReady: false }
    }
    const { sourceId, tableId } = rewrite
    const tables = { typeId: type.id, objectType, sourceId, tableId }
    const { isReady = false, ...outcome } = await step(session, tables, rewrite, store, type)
    const counts = await countsOf(session, rewrite)
    return { progress: { typeRid, ...outcome, ...counts }, isReady }
  })
}

async function countsOf(session: WriteSession, { sourceId, tableId }: Rewrite) {
  const [row] = await session.query(
    `SELECT (SELECT live_count FROM oqs_object_table WHERE id = ?),
       (SELECT live_count FROM oqs_object_table WHERE id = ?)`,
    [tableId, sourceId],
  )
  return { objects: Number(row?.[0] ?? 0), totalObjects: Number(row?.[1] ?? 0) }
}

/** Copies some objects, builds an index, or copies some objects again. */
async function advance(
  session: WriteSession,
  tables: CopiedTables,
  { phase, copiedTo }: Rewrite,
  { capabilities }: RewriteStore,
): Promise<Outcome> {
  const { typeId, tableId } = tables
  if (phase === 'copying') {
    const { lastKey, isLast } = await copyNext(session, tables, copiedTo)
    await savePhase(session, typeId, { phase: isLast ? 'indexing' : phase, copiedTo: lastKey })
    return { phase }
  }
  // An index may have been exchanged because of a long text.
  if (await buildNextIndex(session, capabilities, typeId, await readTable(session, tableId))) {
    return { phase }
  }
  if (phase === 'indexing') {
    await session.query(`ANALYZE ${objectTable(tableId)}`)
    await savePhase(session, typeId, { phase: 'catchingUp', copiedTo })
    return { phase: 'catchingUp' }
  }
  const isReady = await catchUp(session, tables)
  return { phase, isReady }
}

/** Copies changed objects again. Returns true if few are left, so that commits may wait for them. */
async function catchUp(session: WriteSession, tables: CopiedTables): Promise<boolean> {
  const keys = await readChangedKeys(session, tables.typeId, OBJECTS_PER_STEP)
  if (keys.length > 0) {
    await copyAgain(session, tables, keys)
    await deleteChangedKeys(session, tables.typeId, keys)
  }
  return keys.length < OBJECTS_PER_STEP
}

/** Publishes the copies, after those of the last changes. No commit comes in between. */
async function publish(
  session: WriteSession,
  tables: CopiedTables,
  rewrite: Rewrite,
  { capabilities }: RewriteStore,
  { lastVersion }: LockedType,
): Promise<Outcome> {
  const { typeId, tableId, sourceId } = tables
  const catchingUp = { phase: 'catchingUp' } as const
  if (capabilities.needsSeparatePublication) {
    // Copies of this transaction could become visible later than the version, on another machine.
    // A type that is written without a pause therefore keeps its table until there is one.
    if ((await readChangedKeys(session, typeId, 1)).length > 0) return catchingUp
    if (!(await areCopiesVisible(session, tableId))) return catchingUp
  } else if (!(await catchUp(session, tables))) return catchingUp
  const [copies, source] = [await readTable(session, tableId), await readTable(session, sourceId)]
  // A long text among the last changes dropped an index: the next step builds the one for it, without
  // the lock that commits wait for.
  if (await findMissingIndex(session, capabilities, typeId, copies)) return catchingUp
  if (copies.liveCount !== source.liveCount) {
    throw new RewriteFailure(`copied ${copies.liveCount} of ${source.liveCount} objects`)
  }
  const version = lastVersion + 1
  await session.run(
    `UPDATE oqs_object_table SET state = 'published', first_version = ? WHERE id = ?`,
    [version, tableId],
  )
  await session.run('UPDATE oqs_object_type SET table_id = ? WHERE id = ?', [tableId, typeId])
  await publishVersion(session, { typeId, version, put: 0, deleted: 0 })
  await deleteRewrite(session, typeId, rewrite)
  return { phase: 'published' }
}

/**
 * True if all copies are visible on every machine. The lock waits for transactions that are prepared
 * on a machine but not committed there yet, which may have written an object twice.
 */
async function areCopiesVisible(session: WriteSession, tableId: number): Promise<boolean> {
  const table = objectTable(tableId)
  await session.query(`LOCK TABLE ${table} IN SHARE MODE`)
  const [row] = await session.query(`SELECT count(*) FROM ${table} WHERE valid_to = ${OPEN}`)
  return Number(row?.[0]) === (await readTable(session, tableId)).liveCount
}
