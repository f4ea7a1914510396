/** Types that change while their columns are built, or between their answer and its records. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { readTiers } from '../../src/service/relevance/read-tiers.ts'
import { TierCache } from '../../src/service/relevance/tier-cache.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import { INTERNAL_CONTEXT } from '../../src/store/port/request-context.ts'
import { openColumnStore } from '../support/column-store.ts'
import { createFixture, pageRequest, thingsDefinition } from '../support/store-fixture.ts'
import { createTestStore } from '../support/test-store.ts'

function definitionOf(type: 'integer' | 'long'): OntologyDefinition {
  return {
    apiName: 'parts',
    objectTypes: [
      {
        apiName: 'part',
        primaryKey: 'id',
        properties: { id: { type: 'integer' }, size: { type }, notes: { type: 'string' } },
      },
    ],
  }
}

async function redefine(store: ObjectStore, changed = definitionOf('long')): Promise<void> {
  const change = planChange(changed.apiName, changed, await store.readCatalogue(), randomUUID)
  expect(await store.saveOntology(change)).toBe('saved')
}

const ORDER = { property: 'size', direction: 'asc', nulls: 'last' } as const

// The terms of a search of two are counted after its objects were found, and before their records are read.
it.each([
  ['page', ['page']],
  ['setPage', ['setPage']],
  ['ranked page', ['page']],
  ['ranked page of two terms', ['page', 'page', 'page']],
] as const)(
  'a %s of a definition that was replaced since is refused as out of date, not as a page token',
  async (kind, questions) => {
    await using place = await createTestStore()
    const answered: string[] = []
    const onAnswered = async (answer: string) => {
      answered.push(answer)
      if (answered.length === questions.length) await redefine(columns.store)
    }
    await using columns = await openColumnStore(place.name, { onAnswered })
    const { store } = columns
    const { type, put } = await createFixture(store, definitionOf('integer'))
    await put([
      { id: 1, size: 2, notes: 'old part' },
      { id: 2, size: 1, notes: 'new part' },
    ])
    const field = { property: 'size', structField: undefined }
    const query = { kind: 'compare', field, operator: 'gte', value: 1 } as const
    const page = pageRequest(type, { query, order: [ORDER] })
    const { property, ...term } = ORDER
    const readRanked = (terms: readonly string[]) => {
      const notes = { property: 'notes', structField: undefined }
      const part = { kind: 'text', field: notes, match: 'anyTerm', terms, fuzzy: false } as const
      const ranked = pageRequest(type, { query: part })
      const { shape } = ranked.record
      const services = { objects: store, tierCache: new TierCache() }
      return readTiers(ranked, () => shape, INTERNAL_CONTEXT, services)
    }
    const reads = {
      page: () => store.readPage(page),
      'ranked page': () => readRanked(['part']),
      'ranked page of two terms': () => readRanked(['part', 'old']),
      setPage: () =>
        store.readSetPage({
          ...page,
          parts: [page],
          order: [{ ...term, properties: [property], type: 'integer' }],
          after: undefined,
          versions: undefined,
        }),
    }
    await expect(reads[kind]()).rejects.toThrow('OntologyDefinitionOutOfSync')
    expect(answered).toEqual(questions)
  },
)

function withProperty(before: OntologyDefinition, name: string): OntologyDefinition {
  const objectTypes = before.objectTypes.map(({ properties, ...type }) => ({
    ...type,
    properties: { ...properties, [name]: { type: 'string' as const } },
  }))
  return { ...before, objectTypes }
}

const OBJECTS = Array.from({ length: 5000 }, (_, k) => [`k${k}`, `text ${k}`] as const)

it('a build that a changed definition interrupts is reported, and tried again soon', async () => {
  await using place = await createTestStore()
  const reasons: unknown[] = []
  const onFailure = (reason: unknown) => reasons.push(reason)
  await using columns = await openColumnStore(place.name, { onFailure })
  const { commit, type } = await createFixture(columns.database)
  await commit(OBJECTS)
  const { rid } = type
  const state = () => columns.status().types[0]?.state
  let changed = thingsDefinition('things')
  for (let added = 1; state() !== 'failed'; added += 1) {
    changed = withProperty(changed, `more${added}`)
    // Most definitions meet a build; those that come before or after it let it succeed.
    await Promise.all([columns.prepare([rid]), redefine(columns.database, changed)])
  }
  expect(reasons).toEqual([
    expect.stringMatching(`^the columns of ${rid} were not built: the defin`),
  ])
  await expect
    .poll(async () => {
      await columns.prepare([rid])
      return state()
    })
    .toBe('ready')
})
