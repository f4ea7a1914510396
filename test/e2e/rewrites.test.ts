import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { logLinesOf, type OqsProcess, startOqs } from '../support/oqs-process.ts'
import { startConversion } from '../support/rewrite-all.ts'
import { createFixture, openFixture } from '../support/store-fixture.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Enough that the service still copies when the test has read the log. */
const OBJECTS = 10_000
const PAIRS = Array.from(
  { length: OBJECTS },
  (_, n) => [`k${String(n).padStart(5, '0')}`, `${n} ${'text '.repeat(n % 20)}`] as const,
)

async function readAll(path: string): Promise<string[]> {
  await using store = openSqliteStore(path)
  return (await openFixture(store)).readPairs({ maxObjects: OBJECTS + 1, maxBytes: 1e9 })
}

/** Waits until the log has as many lines of an event. Throws if that can no longer happen. */
async function waitForEvent(oqs: OqsProcess, event: string, count = 1): Promise<void> {
  while (logLinesOf(oqs, event).length < count) {
    requireUnfinished(oqs)
    const more = once(oqs.child.stderr ?? oqs.child, 'data').then(() => 'data')
    if ((await Promise.race([more, oqs.ended])) !== 'data') {
      throw new Error(`the process ended without ${event}: ${oqs.stderr()}`)
    }
  }
}

function requireUnfinished(oqs: OqsProcess): void {
  if (logLinesOf(oqs, 'rewritten').length > 0)
    throw new Error(`the rewrite was complete too early: ${oqs.stderr()}`)
}

/** Starts a service twice, and kills it while it rewrites. Then lets one complete it. */
async function rewriteDespiteKills(path: string): Promise<void> {
  const settings = { OQS_STORE: `sqlite:${path}`, OQS_PORT: '0', OQS_ADMIN_TOKEN: 'a'.repeat(40) }
  for (const lines of [1, 3]) {
    await using oqs = startOqs(['serve'], settings)
    await waitForEvent(oqs, 'rewriting', lines)
    oqs.child.kill('SIGKILL')
    await oqs.ended
    requireUnfinished(oqs)
  }
  expect(await readAll(path)).toHaveLength(OBJECTS)
  await using oqs = startOqs(['serve'], settings)
  await waitForEvent(oqs, 'rewritten')
  const [done] = logLinesOf<{ msg: string; objects: number }>(oqs, 'rewritten')
  expect(done?.objects).toBe(OBJECTS)
}

it('completes a change of a definition, however often it is killed', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  {
    await using store = openSqliteStore(path, { rewrittenAtOnceMax: 0 })
    const things = await createFixture(store)
    await things.commit(PAIRS)
    await startConversion(store)
  }
  await rewriteDespiteKills(path)
  expect(await readAll(path)).toEqual(PAIRS.map(([key, text]) => `${key}=${[text]}`))
})
