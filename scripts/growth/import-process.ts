import { objectReader } from '../../src/ontology/values/read-object.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { Change } from '../../src/store/object-store.ts'
import { defineType } from '../bench/define-type.ts'
import { ownMegabytes } from '../bench/memory.ts'
import { makePart } from '../bench/objects.ts'
import { showProgress } from '../bench/progress.ts'
import type { Imported } from './import-objects.ts'

/**
 * Fills a store as `oqs import --replace` makes the service do it: batches into a replacement,
 * which is indexed and published at the end. A process of its own, so that its memory and its
 * processor time are its own.
 *
 * Arguments: the store as `OQS_STORE` names it, the number of objects.
 */

const BATCH_OBJECTS = 5000

const [store = '', objects = ''] = process.argv.slice(2)
process.send?.(await importObjects(store, Number(objects)))
process.disconnect?.()

async function importObjects(name: string, count: number): Promise<Imported> {
  await using store = await openStore(name)
  const { objectType, generation: basedOn } = await defineType(store)
  const readObject = objectReader(objectType)

  const cpuBefore = process.cpuUsage()
  const started = performance.now()
  const replacement = await store.startReplacement(objectType)
  let megabytes = 0
  let percent = 0
  // The next batch is made while the writer thread still writes the one before it.
  let committing: Promise<unknown> = Promise.resolve()
  for (let start = 0; start < count; start += BATCH_OBJECTS) {
    const length = Math.min(BATCH_OBJECTS, count - start)
    const changes = Array.from(
      { length },
      (_, index): Change => ({ put: readObject(makePart(start + index, 0)) }),
    )
    await committing
    committing = store.commit({ objectType, changes, basedOn, replacement })
    megabytes = Math.max(megabytes, ownMegabytes(process.pid) ?? 0)
    const reached = Math.floor((20 * start) / count) * 5
    if (reached > percent) showProgress(`loading ${count.toLocaleString('en')}: ${reached} %`)
    percent = reached
  }
  await committing
  showProgress(`loading ${count.toLocaleString('en')}: making its indexes`)
  await store.publishReplacement(objectType, replacement)
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    seconds: (performance.now() - started) / 1000,
    cpuMicros: user + system,
    megabytes: Math.max(megabytes, ownMegabytes(process.pid) ?? 0),
  }
}
