/**
 * Rewrites types in the background, one bounded transaction after the other: for changes of their
 * definitions, see change-step.ts, and those whose tables have an older layout. The objects are
 * copied into a new table while commits go on; then indexes are built, objects that were changed since
 * are copied again, and the table is published as a version without changes. Earlier versions are read
 * from the earlier table until they expire. Any node can take the next step.
 */

import { RefusedObject } from '../../../ontology/values/read-object.ts'
import { CURRENT_LAYOUT, objectTable } from '../../core/catalogue/object-tables.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import type { RewriteProgress } from '../../rewrite.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { addObjectTable, createObjectTable } from '../catalogue/object-table.ts'
import { recoverPreparedTransactions } from '../citus/capabilities.ts'
import { writeInTurn } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { type LockedType, lockType, readTable } from '../writes/lock-type.ts'
import { type ChangingStore, nextChangeStep } from './change-step.ts'
import type { CopiedTables } from './copy-objects.ts'
import { unchangedCopier } from './object-copiers.ts'
import {
  deleteRewrite,
  findTypesToRewrite,
  lockRewrite,
  type Rewrite,
  RewriteFailure,
  readChangedKeys,
  saveFailure,
  saveRewrite,
} from './rewrite-state.ts'
import {
  advance,
  areCopiesComplete,
  catchUp,
  firstProgress,
  type Outcome,
  publishCopies,
  type RewriteSpec,
  runStep,
  type Step,
} from './rewrite-step.ts'

/** Takes one step, and returns the progress; undefined if there is nothing that this node can do. */
export async function rewriteNext(store: ChangingStore): Promise<RewriteProgress | undefined> {
  return firstProgress([() => nextChangeStep(store), () => nextLayoutStep(store)])
}

async function nextLayoutStep(store: ChangingStore): Promise<RewriteProgress | undefined> {
  const types = await findTypesToRewrite(store.database)
  return firstProgress(
    types.map(
      ({ typeRid, isStarted }) =>
        () =>
          isStarted ? continueRewrite(store, typeRid) : start(store, typeRid),
    ),
  )
}

/** Adds an empty table for the copies. Their rows have a version that is allocated now. */
function start(store: ChangingStore, typeRid: string): Promise<RewriteProgress | undefined> {
  return writeInTurn(store, { key: typeRid }, async (session) => {
    const type = await lockType(session, store.capabilities, typeRid, 'commit')
    if (type === undefined || (await lockRewrite(session, type.id)) !== undefined) return undefined
    const source = await readTable(session, type.tableId)
    if (!source.isCreated || source.layout >= CURRENT_LAYOUT) return undefined
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
      changeId: undefined,
    })
    return { typeRid, phase: 'copying', objects: 0, totalObjects: source.liveCount }
  })
}

async function continueRewrite(
  store: ChangingStore,
  typeRid: string,
): Promise<RewriteProgress | undefined> {
  const [row] = await store.database.query(
    'SELECT ontology_rid FROM oqs_object_type WHERE rid = ?',
    [typeRid],
  )
  const named = [{ ontology: String(row?.[0]) }]
  const catalogue = await store.readCatalogue({ named, callerId: INTERNAL_CONTEXT.callerId })
  const objectType = catalogue.ontologies
    .flatMap(({ objectTypes }) => [...objectTypes.values()])
    .find(({ rid }) => rid === typeRid)
  if (objectType === undefined) return undefined
  const spec: RewriteSpec = {
    typeRid,
    changeId: undefined,
    generation: catalogue.generation,
    copier: async () => unchangedCopier(objectType),
    restart: (session, { id }, rewrite) => deleteRewrite(session, id, rewrite),
  }
  try {
    const advanced = await runStep(store, spec, 'load', (session, tables, rewrite) =>
      advance(session, tables, rewrite, store.capabilities),
    )
    if (advanced?.isReady !== true) return advanced?.progress
    if (store.capabilities.isDistributed) await recoverPreparedTransactions(store.database)
    const publishStep: Step = (...step) => publish(store, ...step)
    return (await runStep(store, spec, 'commit', publishStep))?.progress
  } catch (error) {
    if (!(error instanceof RefusedObject || error instanceof RewriteFailure)) throw error
    const { message } = error
    const fail: Step = async (session, { typeId }, rewrite) => {
      await saveFailure(session, typeId, rewrite, message)
      return { phase: 'failed', reason: message }
    }
    return (await runStep(store, spec, 'load', fail))?.progress
  }
}

/** Publishes the copies, after those of the last changes. No commit comes in between. */
async function publish(
  { capabilities }: ChangingStore,
  session: WriteSession,
  tables: CopiedTables,
  rewrite: Rewrite,
  { lastVersion }: LockedType,
): Promise<Outcome> {
  const catchingUp = { phase: 'catchingUp' } as const
  if (capabilities.needsSeparatePublication) {
    // Copies of this transaction could become visible later than the version, on another machine.
    // A type that is written without a pause therefore keeps its table until there is one.
    if ((await readChangedKeys(session, tables.typeId, 1)).length > 0) return catchingUp
    if (!(await areCopiesVisible(session, tables.tableId))) return catchingUp
  } else if (!(await catchUp(session, tables))) return catchingUp
  if (!(await areCopiesComplete(session, capabilities, tables))) return catchingUp
  await publishCopies(session, tables, rewrite, { version: lastVersion + 1, put: 0 })
  return { phase: 'published' }
}

/**
 * True if all copies are visible on every machine. The lock waits for transactions that are prepared
 * on a machine but not committed there yet, which may have written an object twice.
 */
async function areCopiesVisible(session: WriteSession, tableId: number): Promise<boolean> {
  const table = objectTable(tableId)
  await session.query(`LOCK TABLE ${table} IN SHARE MODE`)
  const [row] = await session.query(
    `SELECT count(*) FROM ${table} WHERE valid_to = ${NEVER_CLOSED}`,
  )
  return Number(row?.[0]) === (await readTable(session, tableId)).liveCount
}
