import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Churn, LABEL_PATH, PART_PATH } from '../scripts/faults/churn.ts'
import { LABELS, LiveSet, makeLabel, soakDefinition } from '../scripts/faults/live-set.ts'
import { checkObjects, readStoredBytes } from '../scripts/faults/stored.ts'
import { define, writeChanges } from '../scripts/measure/parts.ts'
import { retentionOf } from '../src/server/maintenance.ts'
import { ADMIN_TOKEN, type Service, startService } from './support/service.ts'
import { tempFolder } from './support/temp-folder.ts'

const LIFETIMES = { snapshotMaxAgeSeconds: 60, pageTokenTtlSeconds: 60 }
const SETTINGS = {
  OQS_SNAPSHOT_MAX_AGE_SECONDS: '60',
  OQS_PAGE_TOKEN_TTL_SECONDS: '60',
  OQS_LIST_OBJECTS_LIMIT: 'none',
}
const OBJECTS = 1100
const ROUNDS = 4
const WRITES_PER_ROUND = 60

/** Starts a service on a new store, and loads the objects of the live set. */
async function startLoaded(store: string, live: LiveSet) {
  const service = await startService({ store, settings: SETTINGS, isMaintainer: false })
  const target = {
    url: new URL(service.url),
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  }
  await define(target, soakDefinition(false))
  const labels = Array.from({ length: LABELS }, (_, number) => ({ put: makeLabel(number) }))
  await writeChanges(target, LABEL_PATH, labels)
  const parts = Array.from(live.objects(), (part) => ({ put: part }))
  await writeChanges(target, PART_PATH, parts)
  return { ...service, target }
}

/** Deletes what has expired, and lets the rest grow old. */
async function reclaim({ store, clock }: Service): Promise<void> {
  const retention = retentionOf(LIFETIMES, () => clock.now)
  await store.reclaim(retention)
  clock.now += retention.rowVersionsMs
}

/** `npm run faults -- --only soak` is the long form, which also measures memory and descriptors. */
it('a store under churn keeps exactly the live objects, and uses the space of expired ones again', async () => {
  using folder = tempFolder()
  const live = new LiveSet(OBJECTS)
  const store = `sqlite:${join(folder.path, 'churned.db')}`
  await using service = await startLoaded(store, live)
  using load = await Churn.open(service.target, live)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let write = 0; write < WRITES_PER_ROUND; write += 1) await load.write()
    // Completes a snapshot walk of two pages before the clock moves.
    for (let read = 0; read < 4; read += 1) await load.read()
    await reclaim(service)
  }
  await load.end()
  await reclaim(service)
  await reclaim(service)
  await checkObjects(service.target, live)
  const used = await readStoredBytes(service.target, store)

  const freshStore = `sqlite:${join(folder.path, 'fresh.db')}`
  await using fresh = await startLoaded(freshStore, live)
  const needed = await readStoredBytes(fresh.target, freshStore)
  expect(used.inUse / needed.inUse).toBeLessThan(1.5)
})
