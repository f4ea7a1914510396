/** Every way in which rows are written gives them a checksum, and what reads everything checks it. */
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { CHECKED_RECORD } from '../../src/contract/object-record.ts'
import type { ObjectTypeDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { checkRecords } from '../../src/service/exports/check-records.ts'
import { runSql } from '../support/postgres.ts'
import { rewriteAll } from '../support/rewrite-all.ts'
import { runInProcess } from '../support/run-in-process.ts'
import { type Service, startService } from '../support/service.ts'
import { openFixture } from '../support/store-fixture.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'

const OBJECTS = '/api/admin/v1/ontologies/sums/objects/sum'
const PROPERTIES: ObjectTypeDefinition['properties'] = {
  k: { type: 'string' },
  n: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string' } },
}

let place: TestStore
let service: Service
beforeAll(async () => {
  place = await createTestStore()
  service = await startService({ store: place.name, isMaintainer: false })
  await define(PROPERTIES)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

function define(properties: ObjectTypeDefinition['properties'], more = {}) {
  return service.apply({
    apiName: 'sums',
    objectTypes: [{ apiName: 'sum', primaryKey: 'k', properties, ...more }],
  })
}

/** Returns the number of current objects, each of which must have the right checksum. */
async function countChecked(): Promise<number> {
  const things = await openFixture(service.store, 'sums')
  const page = await things.readPage({
    record: { shape: CHECKED_RECORD, selection: undefined, separator: '\n' },
    maxObjects: 10_000,
    maxBytes: 100_000_000,
  })
  const text = Buffer.from(page.records).toString()
  expect(text.match(/^-?\d+ \d+ \d+ \d+ /gm)).toHaveLength(page.count)
  const options = { objectType: 'sum', hasSelection: false, after: undefined }
  expect(checkRecords(page.records, options).toString().split('\n')).toHaveLength(page.count)
  await service.store.verify(new AbortController().signal)
  return page.count
}

const objectOf = (n: number) => ({ k: `key ${n} \n "é"`, n, tags: [`tag ${n}`, '\u{1f600}'] })
const objects = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => objectOf(from + index))

async function replace(mode: string, puts: readonly object[]): Promise<void> {
  const { body } = await service.send(`${OBJECTS}/replacements`, { method: 'POST' })
  const lines = puts.map((put) => JSON.stringify({ put })).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const path = `${OBJECTS}?replacement=${body.replacement}`
  await service.send(path, { method: 'POST', body: lines, headers })
  const publish = `${OBJECTS}/replacements/${body.replacement}/publish?mode=${mode}`
  expect((await service.send(publish, { method: 'POST' })).status).toBe(200)
}

it('is right after writes of every kind', async () => {
  await service.put('sums', 'sum', objects(0, 1))
  expect(await countChecked()).toBe(1)
  // Small writes that share a commit.
  await Promise.all(objects(0, 20).map((object) => service.put('sums', 'sum', [object])))
  expect(await countChecked()).toBe(20)
  // Encoded in a thread.
  await service.put('sums', 'sum', objects(10, 3000))
  expect(await countChecked()).toBe(3000)
  await replace('upsert', objects(2990, 3100))
  expect(await countChecked()).toBe(3100)
  await replace('append', objects(3090, 3110))
  expect(await countChecked()).toBe(3110)
  await replace('replace', objects(0, 2500))
  expect(await countChecked()).toBe(2500)
})

it('is right after changes of the definition, at once and in the background', async () => {
  await define({ ...PROPERTIES, n: { type: 'string' } })
  expect(await countChecked()).toBe(2500)
  // Titles are not covered: they are copies, and are written without the objects.
  await define({ ...PROPERTIES, n: { type: 'string' } }, { titleProperty: 'n' })
  expect(await countChecked()).toBe(2500)
  await service[Symbol.asyncDispose]()
  service = await startService({ store: place.name, isMaintainer: false, rewrittenAtOnceMax: 0 })
  const label = { type: 'string', renamedFrom: 'n' } as const
  const { n: _, ...others } = PROPERTIES
  await define({ ...others, label }, { titleProperty: 'label' })
  await rewriteAll(service.store)
  expect(await countChecked()).toBe(2500)
  expect((await service.send(`${OBJECTS}/export`)).text).toContain('"label":"2499"')
})

it('is checked by exports and verification', async () => {
  const intact = await service.send(`${OBJECTS}/export?select=label`)
  expect(intact.text.split('\n')[0]).toMatch(/^\{"k":"key 0 .*,"label":"0"\}$/)
  await damage(
    `UPDATE TABLE SET body = replace(body, 'tag 1234', 'tag 1235') WHERE body LIKE '%tag 1234"%'`,
  )
  for (const query of ['', '?format=csv', '?select=label']) {
    const { status, text } = await service.send(`${OBJECTS}/export${query}`)
    // Found in the first chunk, or in a later one, when the status is already sent.
    expect([200, 500]).toContain(status)
    expect(text).toContain('StoredObjectDamaged')
    expect(text).toContain('key 1234')
    expect(text).not.toContain('"label":"1234"')
  }
  // A condition that does not find the object.
  const where = encodeURIComponent(
    JSON.stringify({ type: 'eq', field: 'properties.label', value: '7' }),
  )
  expect((await service.send(`${OBJECTS}/export?where=${where}`)).status).toBe(200)
  const kept = await openFixture(service.store, 'sums')
  expect((await kept.readPage({ maxObjects: 1 })).count).toBe(1)
  vi.stubEnv('OQS_STORE', place.name)
  const { error } = await runInProcess('verify')
  expect(error).toMatch(
    /^The store is damaged or cannot be read: .*sum does not match its checksum/,
  )
  expect(error).toContain('key 1234')
})

/** Changes all object tables behind the back of the service. */
async function damage(sql: string): Promise<void> {
  if (inject('store') === 'sqlite') {
    using db = new DatabaseSync(place.name.replace(/^sqlite:/, ''))
    const tables = db.prepare(`SELECT id FROM oqs_object_table WHERE is_created = 1`).all()
    for (const { id } of tables) db.exec(sql.replace('TABLE', `oqs_object_${id}`))
    return
  }
  const tables = await runSql(place.name, 'SELECT id FROM oqs_object_table WHERE is_created')
  for (const { id } of tables) await runSql(place.name, sql.replace('TABLE', `oqs_object_${id}`))
}
