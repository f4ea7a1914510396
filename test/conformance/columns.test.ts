import { expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import type { Query } from '../../src/query/query.ts'
import { openColumnStore } from '../support/column-store.ts'
import { createFixture, pageRequest } from '../support/store-fixture.ts'
import { createTestStore } from '../support/test-store.ts'

it('pages without records have the counts of those with records', async () => {
  await using place = await createTestStore()
  await using columns = await openColumnStore(place.name)
  const { store } = columns
  const definition: OntologyDefinition = {
    apiName: 'numbers',
    objectTypes: [
      {
        apiName: 'number',
        primaryKey: 'id',
        properties: { id: { type: 'string' }, name: { type: 'string' } },
      },
    ],
  }
  const { put, type } = await createFixture(store, definition)
  await put(Array.from({ length: 30 }, (_, n) => ({ id: `${n}`, name: n % 3 ? 'some' : 'other' })))
  const field = { property: 'name', structField: undefined, type: 'string' } as const
  const query: Query = { kind: 'compare', field, operator: 'eq', value: 'other' }
  const read = async (maxObjects: number, omitRecords?: 'always' | 'ifMore') => {
    const page = await store.readPage(pageRequest(type, { query, maxObjects, omitRecords }))
    if (page === 'reclaimed') throw new Error('reclaimed')
    const { records, count, more, totalCount, version } = page
    return { hasRecords: records.length > 0, count, more, totalCount, version }
  }
  for (const maxObjects of [1, 9, 10, 11]) {
    const page = await read(maxObjects)
    expect(page).toMatchObject({ hasRecords: true, count: Math.min(maxObjects, 10) })
    expect(await read(maxObjects, 'always')).toEqual({ ...page, hasRecords: false })
    expect(await read(maxObjects, 'ifMore')).toEqual({ ...page, hasRecords: maxObjects >= 10 })
  }
  expect([...columns.outcomes.keys()]).toEqual(['answered'])
})
