/** The indexes of properties that are added to a table with many rows. */
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { openTransaction, runSql } from '../../../../test/support/postgres.ts'
import { rewriteAll } from '../../../../test/support/rewrite-all.ts'
import { createFixture, thingsDefinition } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { planChange } from '../../../ontology/definition/change-definition.ts'
import type { ObjectStore } from '../../object-store.ts'
import { openPostgresStore } from '../postgres-store.ts'

let place: TestStore | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})
const sql = (text: string) => runSql(place?.name ?? '', text)

async function openFilled(): Promise<ObjectStore> {
  place = await createTestStore()
  const store = await openPostgresStore(place.name, { rewrittenAtOnceMax: 1 })
  const things = await createFixture(store)
  await things.commit([
    ['a', '1'],
    ['b', '2'],
  ])
  return store
}

/** Adds a number and a list to the type. */
async function addProperties(store: ObjectStore, options = {}): Promise<void> {
  const [type] = thingsDefinition('things').objectTypes
  if (type === undefined) throw new Error('no type')
  const size = { type: 'integer' } as const
  const labels = { type: 'array', items: { type: 'string' } } as const
  const definition = {
    apiName: 'things',
    objectTypes: [{ ...type, properties: { ...type.properties, size, labels } }],
  }
  const catalogue = await store.readCatalogue()
  await store.saveOntology(planChange('things', definition, catalogue, randomUUID, options))
}

const indexes = async () =>
  (
    await sql(`SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index AS i
      JOIN pg_class AS c ON c.oid = i.indexrelid
      WHERE i.indrelid = 'oqs_object_1'::regclass AND c.relname ~ '_[pe][0-9]+$' ORDER BY 1`)
  ).map(({ name, valid }) => (valid === true ? String(name) : `${name} (invalid)`))

describe('properties that are added to a large table', () => {
  it('get their indexes in the background, also after an interruption', async () => {
    await using store = await openFilled()
    const before = await indexes()
    await addProperties(store)
    expect(await indexes()).toEqual(before)
    // What a build leaves behind that was killed.
    const [column] = await sql(`SELECT attname AS name FROM pg_attribute
      WHERE attrelid = 'oqs_object_1'::regclass AND atttypid = 'int4'::regtype AND attname ~ '^p'`)
    const index = `oqs_object_1_${column?.['name']}`
    await sql(`CREATE INDEX ${index} ON oqs_object_1 (${column?.['name']}, pk)`)
    await sql(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${index}'::regclass`)
    expect(await rewriteAll(store)).toEqual([])
    const after = await indexes()
    expect(after).toEqual(expect.arrayContaining([...before, index]))
    expect(after.length).toBe(before.length + 3)
    expect(after.join()).not.toContain('invalid')
  })

  it('get each index once, however many nodes there are', async () => {
    await using store = await openFilled()
    await using other = await openPostgresStore(place?.name ?? '')
    const before = await indexes()
    await addProperties(store)
    await Promise.all([rewriteAll(store), rewriteAll(other)])
    await rewriteAll(other)
    expect((await indexes()).length).toBe(before.length + 3)
  })

  it('touch no table in a dry run', async () => {
    await using store = await openFilled()
    await using _reader = await openTransaction(
      place?.name ?? '',
      'LOCK TABLE oqs_object_1 IN ACCESS SHARE MODE',
    )
    await addProperties(store, { isDryRun: true })
    expect(await sql(`SELECT 1 FROM oqs_object_table WHERE unindexed_fields <> '{}'`)).toEqual([])
  })
})
