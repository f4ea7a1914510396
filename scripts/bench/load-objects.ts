import { objectReader } from '../../src/ontology/values/read-object.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { Change } from '../../src/store/object-store.ts'
import { defineType } from './define-type.ts'
import { readBody, type Target } from './http-client.ts'
import { makePart, OBJECT_TYPE, ONTOLOGY, UPDATED_EVERY } from './objects.ts'
import { showProgress } from './progress.ts'

/** Fills the store by its own commit, and changes it through the service. */

const BATCH_OBJECTS = 10_000

/** Gives a line about how fast it went. */
export async function loadStore(name: string, objects: number): Promise<string> {
  await using store = await openStore(name)
  const { objectType, generation } = await defineType(store)
  const readObject = objectReader(objectType)

  const started = performance.now()
  // The next batch is made while the writer thread still writes the one before it.
  let committing: Promise<unknown> = Promise.resolve()
  for (const numbers of batches(objects, 1, 'loading')) {
    const changes: Change[] = numbers.map((number) => ({ put: readObject(makePart(number, 0)) }))
    await committing
    committing = store.commit({ objectType, changes, basedOn: generation })
  }
  await committing
  return describeRate('loaded', objects, started)
}

/** Updates every fifth object; gives a line about how fast it went. */
export async function updateObjects(service: Target, objects: number): Promise<string> {
  const started = performance.now()
  for (const numbers of batches(objects, UPDATED_EVERY, 'updating'))
    await putParts(service, numbers)
  return describeRate('updated', Math.ceil(objects / UPDATED_EVERY), started)
}

export async function updateOneObject(service: Target): Promise<void> {
  await putParts(service, [1])
}

async function putParts(service: Target, numbers: readonly number[]): Promise<void> {
  await readBody(service, {
    method: 'POST',
    path: `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`,
    contentType: 'application/x-ndjson',
    body: numbers.map((number) => `${JSON.stringify({ put: makePart(number, 1) })}\n`).join(''),
  })
}

/** Every so many numbers below the end, in batches, with a word on the way. */
function* batches(end: number, step: number, doing: string): Generator<readonly number[]> {
  let tenths = 0
  for (let start = 0; start < end; start += BATCH_OBJECTS * step) {
    const length = Math.min(BATCH_OBJECTS, Math.ceil((end - start) / step))
    yield Array.from({ length }, (_, i) => start + i * step)
    const reached = Math.floor((10 * (start + length * step)) / end)
    if (reached > tenths) showProgress(`${doing}: ${10 * Math.min(reached, 10)} %`)
    tenths = reached
  }
}

function describeRate(done: string, objects: number, started: number): string {
  const seconds = (performance.now() - started) / 1000
  const rate = Math.round(objects / seconds)
  return `${done} ${objects.toLocaleString('en')} objects in ${seconds.toFixed(1)} s (${rate.toLocaleString('en')}/s)`
}
