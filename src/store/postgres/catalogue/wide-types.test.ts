import { afterEach, describe, expect, it } from 'vitest'
import { AIRPORT } from '../../../../test/support/parsed-queries.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import type {
  OntologyDefinition,
  PropertyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import { toTermCondition } from '../../sql/text/text-condition.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { textSql } from '../text/text-condition.ts'

let place: TestStore | undefined
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
  it('is refused when it needs more columns than a table may have', async () => {
    place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const { definition } = wide(900, { type: 'array', items: { type: 'string' } })
    await expect(createFixture(store, definition)).rejects.toMatchObject({
      errorName: 'InvalidOntologyDefinition',
      parameters: {
        mistakes: [
          { path: 'objectTypes.wide.properties', reason: expect.stringContaining('1800 columns') },
        ],
      },
    })
    expect((await store.readCatalogue()).ontologies).toEqual([])
  })

  it('stores objects that have values for some of its properties', async () => {
    place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const { names, definition } = wide(500, { type: 'string' })
    const things = await createFixture(store, definition)
    const filled = (count: number) =>
      Object.fromEntries(names.slice(0, count).map((name) => [name, 'twenty letters or more']))
    expect(await things.put([{ k: 'a' }, { k: 'b', ...filled(300) }])).toMatchObject({ put: 2 })
    await expect(things.put([{ k: 'c' }, { k: 'd', ...filled(500) }])).rejects.toMatchObject({
      errorName: 'Default:RequestEntityTooLarge',
    })
    expect(await things.readKeys()).toEqual(['a', 'b'])
  })

  it('is searched for many terms at once in all properties', async () => {
    place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const things = await createFixture(store, wide(60, { type: 'string' }).definition)
    const terms = Array.from({ length: 99 }, (_, n) => `word${n}`)
    const words = (from: number, to: number) => terms.slice(from, to).join(' ')
    await things.put([
      { k: 'a', p1: words(0, 50), p59: words(50, 99) },
      { k: 'b', p1: words(0, 50), p59: words(50, 98) },
      { k: 'c' },
    ])
    const text = { kind: 'text', match: 'allTerms', field: undefined, fuzzy: false } as const
    const long = 'x'.repeat(600)
    for (const [query, keys] of [
      [{ ...text, terms }, ['a']],
      [{ ...text, terms: [...terms, long] }, []],
      [{ ...text, match: 'anyTerm', terms }, ['a', 'b']],
      [{ ...text, match: 'anyTerm', terms: [...terms, long] }, ['a', 'b']],
    ] as const) {
      expect(await things.readKeys({ query })).toEqual(keys)
      expect(await things.readKeys({ query: { kind: 'not', of: query } })).toEqual(
        ['a', 'b', 'c'].filter((key) => !keys.some((one) => one === key)),
      )
    }
  })

  it('never needs more parameters than a statement may have', () => {
    const terms = Array.from({ length: 99 }, (_, n) => `word${n}`)
    const fields = Array.from({ length: 1580 }, (_, number) => {
      return { property: `p${number}`, structField: undefined }
    })
    const column = { valueType: 'text', elementType: undefined, isKey: false, hasLongText: false }
    const numbers = new FieldNumbers(
      fields.map((field, number) => ({ ...field, ...column, number })),
    )
    for (const match of ['allTerms', 'anyTerm', 'phrase', 'prefix'] as const) {
      const query = { kind: 'text', field: undefined, fields, match, terms, fuzzy: false } as const
      const tables = { objectType: AIRPORT, numbers, similarTerms: () => new Map() }
      const condition = toTermCondition(query, tables)
      if (condition === undefined) throw new Error('the query has terms')
      expect(textSql(condition).values.length).toBeLessThan(1000)
    }
  })
})
