import { setImmediate as nextTurn } from 'node:timers/promises'
import { hasKey } from '../../http/page/find-object.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { objectReader } from '../../ontology/values/read-object.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { Change, ObjectStore } from '../../store/object-store.ts'
import type { DemoObject } from './demo-object.ts'
import { BATCH_OBJECTS, readOne, resolveDemoType } from './open-demo.ts'
import type { Sources } from './sources.ts'

/** Objects that are made in one go; requests are answered between. */
const SLICE_OBJECTS = 50

export interface DemoLoad {
  readonly store: ObjectStore
  readonly sources: Sources
  /** Ends the load after the batch that is under way. */
  readonly signal: AbortSignal
  /** Told of each batch how many objects it has. */
  readonly onBatch: (objects: number) => void
}

/**
 * Loads one type, batch by batch, while the service answers. The n-th batch becomes version n of
 * the type and always holds the same objects, so that an interrupted load goes on where it ended,
 * and what people have changed meanwhile stays as they left it.
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
    // People's changes make versions too, so a number alone does not tell that a batch is there.
    const isLoaded = number <= version && (await hasSome(store, objectType, batch))
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

/** Looks for a few objects of a batch, some of which people may have deleted. */
async function hasSome(
  store: ObjectStore,
  objectType: ObjectType,
  batch: readonly DemoObject[],
): Promise<boolean> {
  for (let at = 0; at < batch.length; at += SLICE_OBJECTS) {
    const key = String(batch[at]?.[objectType.primaryKey.apiName])
    const { count } = await readOne(store, objectType, hasKey(objectType, key))
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
  // What people have written under the same key stays theirs.
  const how = { basedOn: generation, keepsExisting: true }
  await store.commit({ objectType, changes, ...how })
}
