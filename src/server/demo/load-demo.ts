import { nextTurn } from '../../admission/next-turn.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { objectReader } from '../../ontology/values/read-object.ts'
import { keyEquals } from '../../service/pages/find-object.ts'
import type { Change, ObjectStore } from '../../store/object-store.ts'
import type { DemoObject } from './demo-object.ts'
import { BATCH_OBJECTS, readOne, resolveDemoType } from './open-demo.ts'
import type { Sources } from './sources.ts'

/** Objects that are prepared before requests get a turn. */
const SLICE_OBJECTS = 50

export interface DemoLoad {
  readonly store: ObjectStore
  readonly sources: Sources
  /** Stops loading after the current batch. */
  readonly signal: AbortSignal
  /** Called after each batch with its number of objects. */
  readonly onBatch: (objects: number) => void
}

/**
 * Loads one type while the service is running. Like those of an import, its objects become visible
 * together when all are written, so that indexes are built once; an interrupted load starts again.
 * Objects that users have written meanwhile are kept.
 */
export async function loadDemoType(name: string, load: DemoLoad): Promise<void> {
  const { store, sources, signal } = load
  const batches = batchesOf((await sources[name]?.()) ?? [])
  const { value: first = [] } = await batches.next()
  const { objectType } = await resolveDemoType(store, name)
  if (first.length === 0 || (await isLoaded(store, objectType, first))) return
  const replacement = await store.startReplacement(objectType)
  try {
    await writeBatches(name, replacement, { ...load, first, batches })
  } catch (error) {
    await store.abandonReplacement(objectType, replacement)
    throw error
  }
  if (signal.aborted) await store.abandonReplacement(objectType, replacement)
  else await store.publishReplacement(objectType, replacement, 'append')
}

async function* batchesOf(objects: Iterable<DemoObject>): AsyncGenerator<readonly DemoObject[]> {
  let batch: DemoObject[] = []
  for (const object of objects) {
    batch.push(object)
    if (batch.length < BATCH_OBJECTS) continue
    yield batch
    await nextTurn()
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Returns whether most of some objects exist; users may have deleted others, or written a few. */
async function isLoaded(
  store: ObjectStore,
  objectType: ObjectType,
  batch: readonly DemoObject[],
): Promise<boolean> {
  let found = 0
  let missing = 0
  for (let at = 0; at < batch.length; at += SLICE_OBJECTS) {
    const key = String(batch[at]?.[objectType.primaryKey.apiName])
    const { count } = await readOne(store, objectType, keyEquals(objectType, key))
    if (count > 0) found += 1
    else missing += 1
  }
  return found > missing
}

interface OpenLoad extends DemoLoad {
  readonly first: readonly DemoObject[]
  /** Those after the first. */
  readonly batches: AsyncIterable<readonly DemoObject[]>
}

/** Adds objects to a replacement. While the store writes one batch, the next is prepared. */
async function writeBatches(name: string, replacement: string, load: OpenLoad): Promise<void> {
  const { store, signal, onBatch, first, batches } = load
  let written: Promise<void> = Promise.resolve()
  const write = async (batch: readonly DemoObject[]) => {
    const { objectType, generation } = await resolveDemoType(store, name)
    const changes = await changesOf(objectType, batch)
    await written
    written = store
      .commit({ objectType, changes, basedOn: generation, replacement })
      .then(() => onBatch(batch.length))
    // A failure is handled where the batch is awaited.
    written.catch(() => {})
  }
  await write(first)
  for await (const batch of batches) {
    if (signal.aborted) break
    await write(batch)
  }
  await written
}

async function changesOf(
  objectType: ObjectType,
  batch: readonly DemoObject[],
): Promise<readonly Change[]> {
  const read = objectReader(objectType)
  const changes: Change[] = []
  for (const object of batch) {
    changes.push({ put: read(object) })
    if (changes.length % SLICE_OBJECTS === 0) await nextTurn()
  }
  return changes
}
