import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

type Properties = ObjectTypeDefinition['properties']

const PROPERTIES: Properties = {
  id: { type: 'string' },
  name: { type: 'string', language: 'english' },
  plain: { type: 'string' },
  tags: { type: 'array', items: { type: 'string' }, language: 'german' },
}

const PLACES = [
  { id: 'A', name: 'The Island of Cities', plain: 'islands', tags: ['Häuser', 'am Fluss'] },
  { id: 'B', name: 'Islands and a city', plain: 'island', tags: ['Haus'] },
  { id: 'C', name: 'Highland running', plain: 'running', tags: ['Hafen'] },
  { id: 'D', name: 'He runs to the islands', plain: 'run', tags: ['am Fluss', 'Häusern'] },
]

describe('the language of a property', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await define('places', PROPERTIES)
    await service.put('places', 'place', PLACES)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const define = (apiName: string, properties: Properties, query = '') =>
    service.send(`/api/admin/v1/ontologies/${apiName}${query}`, {
      method: 'PUT',
      json: {
        apiName,
        families: [apiName],
        objectTypes: [{ apiName: 'place', primaryKey: 'id', properties }],
      },
    })

  const find = async (where: object, ontology = 'places', more: object = {}) => {
    const { body } = await service.send(`/api/v2/ontologies/${ontology}/objects/place/search`, {
      json: { where, ...more },
    })
    return body.data.map((record: { __primaryKey: string }) => record.__primaryKey).join('')
  }
  const terms = (type: string, field: string, value: string, more: object = {}) =>
    find({ type, field, value, ...more })

  it('finds other forms of a term', async () => {
    expect(await terms('containsAllTerms', 'name', 'island')).toBe('ABD')
    expect(await terms('containsAllTerms', 'name', 'ISLANDS')).toBe('ABD')
    expect(await terms('containsAllTerms', 'name', 'cities island')).toBe('AB')
    expect(await terms('containsAnyTerm', 'name', 'runs cities')).toBe('ABCD')
    expect(await terms('containsAllTerms', 'tags', 'hauser')).toBe('ABD')
    expect(
      await find({ type: 'not', value: { type: 'containsAnyTerm', field: 'name', value: 'city' } }),
    ).toBe('CD')
    expect(await terms('containsAllTerms', 'name', 'ilsand', { fuzzy: true })).toBe('A')
  })

  it('does not matter for properties that have none', async () => {
    expect(await terms('containsAllTerms', 'plain', 'island')).toBe('B')
    expect(await terms('containsAnyTerm', 'plain', 'runs')).toBe('')
  })

  it('does not matter for phrases, prefixes and intervals', async () => {
    expect(await terms('containsAllTermsInOrder', 'name', 'the island')).toBe('A')
    expect(await terms('containsAllTermsInOrder', 'name', 'the islands')).toBe('D')
    expect(await terms('startsWith', 'name', 'islands')).toBe('BD')
    const rule = { type: 'match', query: 'island', ordered: true }
    expect(await find({ type: 'interval', field: 'name', rule })).toBe('A')
  })

  it('applies to every revision and to searches of all properties', async () => {
    const one = await service.send('/api/v1/ontologies/places/objects/place/search', {
      json: { query: { type: 'anyTerm', field: 'properties.name', value: 'island' } },
    })
    expect(one.body.data).toHaveLength(3)
    const two = await service.send('/api/places/v1/objects/types/place/search', {
      json: { query: { type: 'keyword', query: 'citys' } },
    })
    expect(two.body.data.map((record: { primaryKey: string }) => record.primaryKey)).toEqual([
      'A',
      'B',
    ])
  })

  it('puts the term as it is written before its other forms', async () => {
    const relevance = { orderBy: { orderType: 'relevance' } }
    const islands = { type: 'containsAnyTerm', field: 'name', value: 'islands' }
    expect(await find(islands, 'places', relevance)).toBe('BDA')
    const island = { type: 'containsAnyTerm', field: 'name', value: 'island' }
    expect(await find(island, 'places', relevance)).toBe('ABD')
  })

  it('is part of the definition and of the metadata', async () => {
    const { body } = await service.send('/api/admin/v1/ontologies/places')
    expect(body.objectTypes[0].properties.name).toEqual(PROPERTIES['name'])
    const v2 = await service.send('/api/v2/ontologies/places/objectTypes/place')
    expect(v2.body.properties.tags).toMatchObject({ language: 'german' })
    expect(v2.body.properties.plain.language).toBeUndefined()
    const v1 = await service.send('/api/v1/ontologies/places/objectTypes/place')
    expect(v1.body.properties.name).toEqual({ baseType: 'String', language: 'english' })
  })

  it('is refused by name if it is unknown, and for other types', async () => {
    const language = 'klingon'
    const unknown = await define('refused', { ...PROPERTIES, name: { type: 'string', language } })
    expect(unknown.body).toMatchObject({
      errorName: 'InvalidOntologyDefinition',
      parameters: {
        mistakes: [
          {
            path: 'objectTypes[0].properties.name.language',
            reason:
              'klingon is not one of the languages dutch, english, french, german, italian, portuguese, spanish',
          },
        ],
      },
    })
    const number = await define('refused', {
      ...PROPERTIES,
      size: { type: 'integer', language: 'english' },
    })
    expect(number.body.parameters.mistakes[0].reason).toBe(
      'only a string or an array of strings can have a language',
    )
  })

  it('can change: the terms of stored objects are read again', async () => {
    const { language: _, ...plain } = PROPERTIES['name'] ?? { type: 'string' }
    await define('changed', { ...PROPERTIES, name: plain })
    await service.put('changed', 'place', PLACES)
    const island = { type: 'containsAllTerms', field: 'name', value: 'island' }
    expect(await find(island, 'changed')).toBe('A')
    const path = '/api/v2/ontologies/changed/objects/place/search'
    const body = { where: { ...island, type: 'containsAnyTerm', value: 'a to' }, pageSize: 1 }
    const first = await service.send(path, { json: { ...body, snapshot: true } })
    const plan = await define('changed', PROPERTIES, '?dryRun=true')
    expect(plan.body).toEqual({
      pending: true,
      changes: [
        { kind: 'reindexed', objectType: 'place', property: 'name', to: 'english', objects: 4 },
      ],
      rewrittenObjects: 4,
      triedObjects: 4,
      refused: [],
    })
    expect(await find(island, 'changed')).toBe('A')
    expect((await define('changed', PROPERTIES)).status).toBe(200)
    expect(await find(island, 'changed')).toBe('ABD')
    const { nextPageToken: pageToken } = first.body
    const next = await service.send(path, { json: { ...body, snapshot: true, pageToken } })
    expect(next.body).toMatchObject({ errorName: 'InvalidPageToken' })
    await service.put('changed', 'place', [{ id: 'E', name: 'The Channel Islands' }])
    expect(await find(island, 'changed')).toBe('ABDE')
    const german = { ...PROPERTIES, name: { type: 'string', language: 'german' } as const }
    const { body: changed } = await define('changed', german, '?dryRun=true')
    expect(changed.changes).toMatchObject([{ kind: 'reindexed', from: 'english', to: 'german' }])
    expect((await define('changed', { ...PROPERTIES, name: plain })).status).toBe(200)
    expect(await find(island, 'changed')).toBe('A')
  })
})
