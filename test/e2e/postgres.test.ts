import { describe, expect, inject, it } from 'vitest'
import { createDatabase } from '../support/postgres.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { createTestStore } from '../support/test-store.ts'
import { replaceNodes, restartDatabase, walkUnderLoad } from '../support/walks-under-load.ts'

/** Several nodes, as real processes, on one database. */

const SECONDS = Number(process.env['OQS_TEST_SECONDS'] ?? 4)

/** Timeouts, which can happen on a busy machine. */
const TIMEOUTS = [
  'the database cannot be reached',
  'the database took too long',
  'something else holds a lock in the database for too long',
]

describe('two nodes on one database', { timeout: 600_000 + SECONDS * 2000 }, () => {
  it('[4.5.2] serve unchanged snapshots to eight walkers beside four writers', async () => {
    await using place = await createTestStore('none')
    const report = await walkUnderLoad({
      store: place.name,
      nodes: 2,
      writers: 4,
      snapshotWalkers: 8,
      defaultWalkers: 0,
      seconds: SECONDS,
      atLeast: { batches: 20, snapshotWalks: 10 },
    })
    expect(report.refusals.filter((reason) => !TIMEOUTS.includes(reason))).toEqual([])
  })

  it('[4.5.1] [4.5.2] continue a walk on either node when one of them is killed', async () => {
    await using place = await createTestStore()
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

  // A database that was provided is not restarted.
  if (inject('store') === 'postgres') {
    it('lose nothing when the database restarts, and accept the same tokens', async () => {
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
