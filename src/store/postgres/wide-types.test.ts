import { afterEach, describe, expect, it } from 'vitest'
import { fixture } from '../../../test/support/store-fixture.ts'
import { type StorePlace, storePlace } from '../../../test/support/store-place.ts'
import type { OntologyDefinition, PropertyDefinition } from '../../ontology/definition-schema.ts'
import { openPostgresStore } from './open.ts'

/** What PostgreSQL cannot hold is refused in clear words, and harms nothing else. */

let place: StorePlace | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

function wide(count: number, property: PropertyDefinition) {
  const names = Array.from({ length: count }, (_, n) => `p${n}`)
  const properties: Record<string, PropertyDefinition> = { k: { type: 'string' } }
  for (const name of names) properties[name] = property
  const definition: OntologyDefinition = {
    apiName: 'wide',
    objectTypes: [{ apiName: 'wide', primaryKey: 'k', properties }],
  }
  return { names, definition }
}

describe('a wide type', () => {
  it('is refused when it needs more columns than a table has', async () => {
    place = await storePlace()
    await using store = await openPostgresStore(place.name)
    const { definition } = wide(900, { type: 'array', items: { type: 'string' } })
    await expect(fixture(store, definition)).rejects.toMatchObject({
      errorName: 'InvalidOntologyDefinition',
      parameters: {
        mistakes: [
          { path: 'objectTypes.wide.properties', reason: expect.stringContaining('1801 columns') },
        ],
      },
    })
    expect((await store.readCatalogue()).ontologies).toEqual([])
  })

  it('holds objects that have values for some of its properties', async () => {
    place = await storePlace()
    await using store = await openPostgresStore(place.name)
    const { names, definition } = wide(500, { type: 'string' })
    const things = await fixture(store, definition)
    const filled = (count: number) =>
      Object.fromEntries(names.slice(0, count).map((name) => [name, 'twenty letters or more']))
    expect(await things.put([{ k: 'a' }, { k: 'b', ...filled(300) }])).toMatchObject({ put: 2 })
    await expect(things.put([{ k: 'c' }, { k: 'd', ...filled(500) }])).rejects.toMatchObject({
      errorName: 'Default:RequestEntityTooLarge',
    })
    expect(await things.keys()).toEqual(['a', 'b'])
  })
})
