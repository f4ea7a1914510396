import { join } from 'node:path'
import { expect, it } from 'vitest'
import { define, writeChanges } from '../scripts/measure/service.ts'
import { Churn, LABEL_PATH, PART_PATH } from '../scripts/soak/churn.ts'
import { LABELS, LiveSet, makeLabel, soakDefinition } from '../scripts/soak/live-set.ts'
import { checkObjects, readStoredBytes } from '../scripts/soak/stored-objects.ts'
import { retentionOf } from '../src/server/maintenance.ts'
import { ADMIN_TOKEN, startService } from './support/service.ts'
import { tempFolder } from './support/temp-folder.ts'

const LIFETIMES = { snapshotMaxAgeSeconds: 60, pageTokenTtlSeconds: 60 }
const SETTINGS = {
  OQS_SNAPSHOT_MAX_AGE_SECONDS: '60',
  OQS_PAGE_TOKEN_TTL_SECONDS: '60',
  OQS_LIST_OBJECTS_LIMIT: 'none',
}
const OBJECTS = 1500
const ROUNDS = 5
const WRITES_PER_ROUND = 100

/** `npm run soak` is the long form, which also measures memory and descriptors. */
it('a store under churn keeps exactly the live objects, and uses the space of expired ones again', async () => {
  using folder = tempFolder()
  const live = new LiveSet(OBJECTS)
  const run = async (
    name: string,
    churn: (load: Churn, reclaim: () => Promise<void>) => Promise<void>,
  ) => {
    const store = `sqlite:${join(folder.path, name)}`
    await using service = await startService({ store, settings: SETTINGS, isMaintainer: false })
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const target = { url: new URL(service.url), headers }
    await define(target, soakDefinition(false))
    const labels = Array.from({ length: LABELS }, (_, number) => ({ put: makeLabel(number) }))
    await writeChanges(target, LABEL_PATH, labels)
    await writeChanges(
      target,
      PART_PATH,
      Array.from(live.objects(), (part) => ({ put: part })),
    )
    {
      using load = await Churn.open(target, live)
      const reclaim = async () => {
        const retention = retentionOf(LIFETIMES, () => service.clock.now)
        await service.store.reclaim(retention)
        service.clock.now += retention.rowVersionsMs
      }
      await churn(load, reclaim)
    }
    await checkObjects(target, live)
    return (await readStoredBytes(target, store)).inUse
  }
  const used = await run('churned.db', async (load, reclaim) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let write = 0; write < WRITES_PER_ROUND; write += 1) await load.write()
      // Completes a snapshot walk of two pages before the clock moves.
      for (let read = 0; read < 4; read += 1) await load.read()
      await reclaim()
    }
    await load.end()
    await reclaim()
    await reclaim()
  })
  const fresh = await run('fresh.db', async () => {})
  expect(used / fresh).toBeLessThan(1.5)
})
