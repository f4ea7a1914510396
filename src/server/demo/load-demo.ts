import { nextTurn } from '../../admission/next-turn.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { objectReader } from '../../ontology/values/read-object.ts'
import { EVERYTHING } from '../../query/query.ts'
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
 * Loads one type in batches while the service is running. The n-th batch always has the same
 * objects and becomes version n of the type, so an interrupted load continues where it stopped and
 * keeps the changes that users have made meanwhile.
 */
export async function loadDemoType(name: string, load: DemoLoad): Promise<void> {
  const { store, sources, signal, onBatch } = load
  const objects = (await sources[name]?.()) ?? []
  const { objectType } = await resolveDemoType(store, name)
  const { version } = await readOne(store, objectType, EVERYTHING)
  let number = 0
  for await (const batch of batchesOf(objects)) {
    if (signal.aborted) return
    number += 1
    // Changes by users create versions too, so the version alone does not show what is loaded.
    const isLoaded = number <= version && (await hasObjectsOf(store, objectType, batch))
    if (!isLoaded) await commitObjects(store, name, batch)
    onBatch(batch.length)
  }
}

async function* batchesOf(objects: Iterable<DemoObject>): AsyncIterable<readonly DemoObject[]> {
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

/** Returns whether some objects of a batch exist; users may have deleted others. */
async function hasObjectsOf(
  store: ObjectStore,
  objectType: ObjectType,
  batch: readonly DemoObject[],
): Promise<boolean> {
  for (let at = 0; at < batch.length; at += SLICE_OBJECTS) {
    const key = String(batch[at]?.[objectType.primaryKey.apiName])
    const { count } = await readOne(store, objectType, keyEquals(objectType, key))
    if (count > 0) return true
  }
  return false
}

async function commitObjects(
  store: ObjectStore,
  name: string,
  batch: readonly DemoObject[],
): Promise<void> {
  const { objectType, generation } = await resolveDemoType(store, name)
  const read = objectReader(objectType)
  const changes: Change[] = []
  for (const object of batch) {
    changes.push({ put: read(object) })
    if (changes.length % SLICE_OBJECTS === 0) await nextTurn()
  }
  // Objects that users have written under the same key are kept.
  await store.commit({ objectType, changes, basedOn: generation, keepsExisting: true })
}
