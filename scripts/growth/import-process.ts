import { randomUUID } from 'node:crypto'
import { findObjectType } from '../../src/ontology/catalogue.ts'
import { planChange } from '../../src/ontology/change-definition.ts'
import { objectReader } from '../../src/ontology/read-object.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { Change } from '../../src/store/object-store.ts'
import { DEFINITION, makePart, OBJECT_TYPE, ONTOLOGY } from '../bench/objects.ts'
import { showProgress } from '../bench/progress.ts'
import type { Imported } from './import-objects.ts'
import { ownMegabytes } from './memory.ts'

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
  const before = await store.readCatalogue()
  await store.saveOntology(planChange(ONTOLOGY, DEFINITION, before, randomUUID))
  const { generation: basedOn, ontologies } = await store.readCatalogue()
  const [ontology] = ontologies
  if (ontology === undefined) throw new Error('the ontology was not saved')
  const objectType = findObjectType(ontology, OBJECT_TYPE)
  const readObject = objectReader(objectType)

  const cpuBefore = process.cpuUsage()
  const started = performance.now()
  const replacement = await store.startReplacement(objectType, Date.now())
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
    committing = store.commit({ objectType, changes, basedOn, nowMs: Date.now(), replacement })
    megabytes = Math.max(megabytes, ownMegabytes('self'))
    const reached = Math.floor((20 * start) / count) * 5
    if (reached > percent) showProgress(`loading ${count.toLocaleString('en')}: ${reached} %`)
    percent = reached
  }
  await committing
  showProgress(`loading ${count.toLocaleString('en')}: making its indexes`)
  await store.publishReplacement(objectType, replacement, Date.now())
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    seconds: (performance.now() - started) / 1000,
    cpuMicros: user + system,
    megabytes: Math.max(megabytes, ownMegabytes('self')),
  }
}
