/** A real service rewrites a store in the background, and is killed while it does. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import { CURRENT_LAYOUT } from '../../src/store/core/catalogue/object-tables.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { logLinesOf, type OqsProcess, startOqs } from '../support/oqs-process.ts'
import { useOutdatedLayout } from '../support/outdated-layout.ts'
import { createFixture, openFixture, thingsDefinition } from '../support/store-fixture.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Enough that the service still copies when the test has read the log. */
const OBJECTS = 10_000
const PAIRS = Array.from(
  { length: OBJECTS },
  (_, n) => [`k${String(n).padStart(5, '0')}`, `${n} ${'text '.repeat(n % 20)}`] as const,
)

async function writeOutdatedStore(path: string): Promise<void> {
  await using store = openSqliteStore(path)
  const things = await createFixture(store)
  await useOutdatedLayout(path)
  await things.commit(PAIRS)
}

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

it('completes the rewrite of a table of an older layout, however often it is killed', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  await writeOutdatedStore(path)
  await rewriteDespiteKills(path)
  expect(await readAll(path)).toEqual(PAIRS.map(([key, text]) => `${key}=${text}`))
  using db = new DatabaseSync(path, { readOnly: true })
  const layouts = `SELECT layout FROM oqs_object_table WHERE state = 'published' ORDER BY id DESC`
  expect(db.prepare(layouts).get()).toEqual({ layout: CURRENT_LAYOUT })
})

it('completes a change of a definition, however often it is killed', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  const definition = thingsDefinition('things')
  {
    await using store = openSqliteStore(path, { rewrittenAtOnceMax: 0 })
    const things = await createFixture(store, definition)
    await things.commit(PAIRS)
    const texts = { type: 'array', items: { type: 'string' } } as const
    const objectTypes = definition.objectTypes.map(({ titleProperty: _, ...type }) => ({
      ...type,
      properties: { ...type.properties, text: texts },
    }))
    const catalogue = await store.readCatalogue()
    const change = planChange('things', { ...definition, objectTypes }, catalogue, randomUUID)
    expect(await store.saveOntology(change)).toBe('started')
  }
  await rewriteDespiteKills(path)
  expect(await readAll(path)).toEqual(PAIRS.map(([key, text]) => `${key}=${[text]}`))
})
