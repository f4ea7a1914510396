import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readStoredBytes } from '../scripts/faults/soak.ts'
import { retentionOf } from '../src/server/maintenance.ts'
import { Random } from './simulation/random.ts'
import { loadEntries } from './support/kills/killed-service.ts'
import { LoadedService } from './support/kills/loaded-service.ts'
import { ADMIN_TOKEN, type Service, startService } from './support/service.ts'
import { tempFolder } from './support/temp-folder.ts'

const LIFETIMES = { snapshotMaxAgeSeconds: 60, pageTokenTtlSeconds: 60 }
const SETTINGS = {
  OQS_SNAPSHOT_MAX_AGE_SECONDS: '60',
  OQS_PAGE_TOKEN_TTL_SECONDS: '60',
  OQS_LIST_OBJECTS_LIMIT: 'none',
}
const OBJECTS = 1000
const ROUNDS = 4
const WRITES_PER_ROUND = 200

/** Deletes what has expired, and lets the rest grow old. */
async function reclaim({ store, clock }: Service): Promise<void> {
  const retention = retentionOf(LIFETIMES, () => clock.now)
  await store.reclaim(retention)
  clock.now += retention.rowVersionsMs
}

/** `npm run faults -- --only soak` is the long form, which also measures memory and descriptors. */
it('a store under churn keeps exactly the live objects, and uses the space of expired ones again', async () => {
  using folder = tempFolder()
  const store = `sqlite:${join(folder.path, 'churned.db')}`
  await using service = await startService({ store, settings: SETTINGS, isMaintainer: false })
  const target = {
    url: new URL(service.url),
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  }
  await loadEntries(service.url, OBJECTS)
  const before = await readStoredBytes(target, store)
  const load = new LoadedService(OBJECTS, new Random(1))
  for (let round = 0; round < ROUNDS; round += 1) {
    const running = load.run(service.url)
    await load.untilBusy(WRITES_PER_ROUND)
    load.expectEnd()
    await running
    // Before the clock moves, and the snapshots expire.
    await load.finishWalks(service.url)
    await reclaim(service)
  }
  await reclaim(service)
  await reclaim(service)
  await load.check(service.url)
  const after = await readStoredBytes(target, store)
  expect(after.inUse / before.inUse).toBeLessThan(1.5)
})
