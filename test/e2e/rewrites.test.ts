/** A real service rewrites a store of the previous release, and is killed while it does. */
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { BEFORE_LAYOUTS, useEarlierLayout } from '../support/earlier-layout.ts'
import { logLinesOf, type OqsProcess, startOqs } from '../support/oqs-process.ts'
import { createFixture } from '../support/store-fixture.ts'
import { tempFolder } from '../support/temp-folder.ts'

const OBJECTS = 2500
const PAIRS = Array.from(
  { length: OBJECTS },
  (_, n) => [`k${String(n).padStart(5, '0')}`, `${n} ${'text '.repeat(n % 20)}`] as const,
)

/** Writes a store as the release before migration 8 did. */
async function writeEarlierStore(path: string): Promise<void> {
  {
    await using store = openSqliteStore(path)
    const things = await createFixture(store)
    useEarlierLayout(path)
    await things.commit(PAIRS)
  }
  using db = new DatabaseSync(path)
  db.exec(BEFORE_LAYOUTS)
}

async function readAll(path: string): Promise<string[]> {
  await using store = openSqliteStore(path)
  return (await createFixture(store)).readPairs({ maxObjects: OBJECTS + 1, maxBytes: 1e9 })
}

/** Waits until the log has as many lines of an event. */
async function waitForEvent(oqs: OqsProcess, event: string, count = 1): Promise<void> {
  while (logLinesOf(oqs, event).length < count) {
    const more = once(oqs.child.stderr ?? oqs.child, 'data').then(() => 'data')
    if ((await Promise.race([more, oqs.ended])) !== 'data') {
      throw new Error(`the process ended without ${event}: ${oqs.stderr()}`)
    }
  }
}

it('completes the rewrite of a store of the previous release, however often it is killed', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  await writeEarlierStore(path)
  const settings = { OQS_STORE: `sqlite:${path}`, OQS_PORT: '0', OQS_ADMIN_TOKEN: 'a'.repeat(40) }
  for (const lines of [1, 3]) {
    await using oqs = startOqs(['serve'], settings)
    await waitForEvent(oqs, 'rewriting', lines)
    oqs.child.kill('SIGKILL')
    await oqs.ended
  }
  expect(await readAll(path)).toHaveLength(OBJECTS)
  {
    await using oqs = startOqs(['serve'], settings)
    await waitForEvent(oqs, 'rewritten')
    const [done] = logLinesOf<{ msg: string; objects: number }>(oqs, 'rewritten')
    expect(done?.objects).toBe(OBJECTS)
  }
  expect(await readAll(path)).toEqual(PAIRS.map(([key, text]) => `${key}=${text}`))
  using db = new DatabaseSync(path, { readOnly: true })
  const layouts = `SELECT DISTINCT layout FROM object_table WHERE state = 'published' ORDER BY 1`
  expect(db.prepare(`${layouts} DESC LIMIT 1`).get()).toEqual({ layout: 2 })
})
