import { describe, expect, inject, it } from 'vitest'
import { createDatabase } from '../support/postgres.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { storePlace } from '../support/store-place.ts'
import { replaceNodes, restartDatabase, walkUnderLoad } from '../support/walks-under-load.ts'

/** Real processes on one database. The long form is `npm run faults`. */

const SECONDS = Number(process.env['OQS_TEST_SECONDS'] ?? 4)

describe('two nodes on one database', { timeout: 60_000 + SECONDS * 2000 }, () => {
  it('[4.5.2] show four writers and eight walkers every snapshot as it was', async () => {
    await using place = await storePlace()
    const report = await walkUnderLoad({
      store: place.name,
      nodes: 2,
      writers: 4,
      snapshotWalkers: 8,
      defaultWalkers: 0,
      seconds: SECONDS,
    })
    expect(report.retries).toBe(0)
    expect(report.batches).toBeGreaterThan(20)
    expect(report.snapshotWalks).toBeGreaterThan(10)
  })

  it('[4.5.1] [4.5.2] go on with a walk when one of them is killed, page by page on either', async () => {
    await using place = await storePlace()
    const report = await walkUnderLoad({
      store: place.name,
      nodes: 2,
      writers: 2,
      snapshotWalkers: 3,
      defaultWalkers: 2,
      seconds: SECONDS,
      disturb: replaceNodes,
    })
    expect(report.rounds).toBeGreaterThan(0)
    expect(report.retries).toBeGreaterThan(0)
    expect(report.snapshotWalks).toBeGreaterThan(0)
    expect(report.defaultWalks).toBeGreaterThan(0)
  })

  // Nobody restarts a database that was given.
  if (inject('store') === 'postgres') {
    it('lose nothing when the database restarts, and go on with the same tokens', async () => {
      await using server = await startPostgresServer({ isDurable: true })
      await using database = await createDatabase(server.url)
      const report = await walkUnderLoad({
        store: database.url,
        nodes: 2,
        writers: 2,
        snapshotWalkers: 3,
        defaultWalkers: 2,
        seconds: SECONDS,
        disturb: restartDatabase(server),
      })
      expect(report.rounds).toBeGreaterThan(0)
      expect(report.retries).toBeGreaterThan(0)
      expect(report.snapshotWalks).toBeGreaterThan(0)
    })
  }
})
