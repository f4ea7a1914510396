/** Texts that are long, or too long for a B-tree index, and their effect on the indexes. */
import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture, type StoreFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { openPostgresStore } from '../postgres-store.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'texts',
  objectTypes: [
    {
      apiName: 'text',
      primaryKey: 'k',
      properties: {
        k: { type: 'string' },
        text: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
  ],
}

let place: TestStore | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

/** Random, so that the database cannot compress it. */
const LONG = randomBytes(30_000).toString('base64url')

function equalTo(things: StoreFixture, property: string, value: string): Promise<unknown[]> {
  const field = { property, structField: undefined }
  return things.readKeys({ query: { kind: 'compare', field, operator: 'eq', value } })
}

async function indexNames(table: number): Promise<string[]> {
  const rows = await runSql(
    place?.name ?? '',
    `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'oqs_object_${table}'`,
  )
  return rows.map(({ name }) => String(name).replace(/^oqs_object_\d+_/, '')).sort()
}

describe('a long text', () => {
  it('is stored and found in a type that had none before', async () => {
    place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const things = await createFixture(store, DEFINITION)
    await things.put([{ k: 'a', text: 'x', tags: ['t'] }])
    expect(await indexNames(1)).toEqual(expect.arrayContaining(['p2', 'e3']))
    await things.put([
      { k: 'b', text: LONG, tags: ['t', LONG] },
      { k: 'c', text: `${LONG}x` },
    ])
    expect(await indexNames(1)).toEqual(expect.arrayContaining(['p2_prefix']))
    expect(await indexNames(1)).not.toContain('p2')
    expect(await indexNames(1)).not.toContain('e3')
    expect(await equalTo(things, 'text', LONG)).toEqual(['b'])
    expect(await equalTo(things, 'text', 'x')).toEqual(['a'])
    expect(await equalTo(things, 'tags', LONG)).toEqual(['b'])
    expect(await equalTo(things, 'tags', 't')).toEqual(['a', 'b'])
  })

  it('is stored in a replacement, whose indexes are built later', async () => {
    place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const things = await createFixture(store, DEFINITION)
    await things.put([{ k: 'a', text: 'x' }])
    const replacement = await store.startReplacement(things.type)
    await things.put([{ k: 'a', text: LONG, tags: [LONG] }], { replacement })
    await store.publishReplacement(things.type, replacement)
    expect(await equalTo(things, 'text', LONG)).toEqual(['a'])
    expect(await equalTo(things, 'tags', LONG)).toEqual(['a'])
    expect(await indexNames(1)).toContain('p2')
    expect(await indexNames(2)).toContain('p2_prefix')
  })
})
