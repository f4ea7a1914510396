import { describe, expect, inject, it } from 'vitest'
import { createDatabase } from '../support/postgres.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { storePlace } from '../support/store-place.ts'
import { replaceNodes, restartDatabase, walkUnderLoad } from '../support/walks-under-load.ts'

/** Real processes on one database. Each test ends when enough has happened. */

const SECONDS = Number(process.env['OQS_TEST_SECONDS'] ?? 4)

/** What a service says that had to wait too long: on a busy machine that is no fault. */
const LATE = [
  'the database cannot be reached',
  'the database took too long',
  'something else holds a lock in the database for too long',
]

describe('two nodes on one database', { timeout: 600_000 + SECONDS * 2000 }, () => {
  it('[4.5.2] show four writers and eight walkers every snapshot as it was', async () => {
    await using place = await storePlace()
    const report = await walkUnderLoad({
      store: place.name,
      nodes: 2,
      writers: 4,
      snapshotWalkers: 8,
      defaultWalkers: 0,
      seconds: SECONDS,
      atLeast: { batches: 20, snapshotWalks: 10 },
    })
    expect(report.refusals.filter((reason) => !LATE.includes(reason))).toEqual([])
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
      atLeast: { rounds: 2, retries: 1, snapshotWalks: 3, defaultWalks: 2 },
    })
    expect(report.refusals).toContain('fetch failed')
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
        atLeast: { rounds: 2, retries: 1, snapshotWalks: 3 },
      })
      expect(report.refusals).toContain('the database cannot be reached')
    })
  }
})
