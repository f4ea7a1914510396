import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createFixture, pageRequest } from '../../test/support/store-fixture.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { ServerEvent } from './log.ts'
import { retentionOf, startMaintenance } from './maintenance.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('reclaims row versions that no token can need any more, and nothing younger', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  using folder = tempFolder()
  await using store = openSqliteStore(join(folder.path, 'oqs.db'))
  const things = await createFixture(store)

  const events: ServerEvent[] = []
  const runAt = async (now: number) => {
    await using _maintenance = startMaintenance({
      store,
      snapshotMaxAgeSeconds: 100,
      pageTokenTtlSeconds: 30,
      now: () => now,
      log: (event) => events.push(event),
    })
    vi.advanceTimersByTime(60_000)
  }
  await things.commit([['a', '1']])
  await things.commit([['a', '2']])
  await runAt(100_000)
  await things.commit([['a', '3']])
  await runAt(200_000)
  // A version is kept for the maximum snapshot age and one minute after it was seen superseded.
  await runAt(259_000)
  expect(await things.readPairs({ version: 1 })).toEqual(['a=1'])
  await runAt(260_000)
  expect(await store.readPage(pageRequest(things.type, { version: 1 }))).toBe('reclaimed')
  expect(await things.readPairs({ version: 2 })).toEqual(['a=2'])
  expect(events).toMatchObject([{ event: 'reclaimed', rows: 1 }])
})

it('keeps row versions as long as the longest token, and idle replacements at least an hour', () => {
  const kept = (snapshotMaxAgeSeconds: number, pageTokenTtlSeconds: number) => {
    const retention = retentionOf({ snapshotMaxAgeSeconds, pageTokenTtlSeconds }, () => 0)
    return [retention.rowVersionsMs, retention.idleReplacementsMs]
  }
  expect(kept(30, 300)).toEqual([360_000, 3_600_000])
  expect(kept(7200, 300)).toEqual([7_260_000, 7_260_000])
})
