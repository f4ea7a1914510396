import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

type Properties = ObjectTypeDefinition['properties']

const PROPERTIES: Properties = {
  id: { type: 'integer' },
  size: { type: 'integer' },
  name: { type: 'string' },
  code: { type: 'string' },
  tags: { type: 'array', items: { type: 'string' } },
}
const OBJECTS = Array.from({ length: 10 }, (_, id) => ({
  id,
  size: 10 - id,
  name: `Part ${id}`,
  code: `${id}00`,
  tags: [`t${id % 2}`],
}))

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

function ontology(apiName: string, properties: Properties, more: object = {}): OntologyDefinition {
  const part = { apiName: 'part', primaryKey: 'id', titleProperty: 'name', properties }
  return { apiName, families: [apiName], objectTypes: [part], ...more }
}

const put = (definition: OntologyDefinition, query = '') =>
  service.send(`/api/admin/v1/ontologies/${definition.apiName}${query}`, {
    method: 'PUT',
    json: definition,
  })

/** Creates an ontology with ten parts. */
async function createParts(apiName: string): Promise<void> {
  expect((await put(ontology(apiName, PROPERTIES))).status).toBe(200)
  expect((await service.put(apiName, 'part', OBJECTS)).status).toBe(200)
}

const list = (apiName: string, query = '') =>
  service.send(`/api/v1/ontologies/${apiName}/objects/part${query}`)

// biome-ignore lint/suspicious/noExplicitAny: responses of any endpoint
const valuesOf = ({ body }: { body: any }, property: string) =>
  body.data.map((record: { properties: Record<string, unknown> }) => record.properties[property])

const search = (apiName: string, query: object) =>
  service.send(`/api/v1/ontologies/${apiName}/objects/part/search`, {
    method: 'POST',
    json: { query },
  })

const { size: _size, ...WITHOUT_SIZE } = PROPERTIES

describe('a changed definition', () => {
  it('converts stored values, which are then found and ordered by their new type', async () => {
    await createParts('wide')
    const wider: Properties = {
      ...PROPERTIES,
      id: { type: 'long' },
      size: { type: 'decimal' },
      name: { type: 'array', items: { type: 'string' } },
      code: { type: 'integer' },
    }
    const definition = ontology('wide', wider)
    const untitled = definition.objectTypes.map(({ titleProperty: _, ...type }) => type)
    const answer = await put({ ...definition, objectTypes: untitled })
    expect([answer.status, answer.body.errorName]).toEqual([200, undefined])
    const page = await list('wide', '?orderBy=properties.size&pageSize=2')
    expect(page.body.data.map((record: { properties: object }) => record.properties)).toEqual([
      { id: '9', size: '1', name: ['Part 9'], code: 900, tags: ['t1'] },
      { id: '8', size: '2', name: ['Part 8'], code: 800, tags: ['t0'] },
    ])
    const found = await search('wide', { type: 'gte', field: 'properties.code', value: 700 })
    expect(valuesOf(found, 'id')).toEqual(['7', '8', '9'])
    const named = await search('wide', {
      type: 'allTerms',
      field: 'properties.name',
      value: 'part 3',
    })
    expect(valuesOf(named, 'id')).toEqual(['3'])
    await service.put('wide', 'part', [{ id: '9007199254740993', size: '0.5' }])
    const newest = await list('wide', '?orderBy=properties.size&pageSize=1')
    expect(valuesOf(newest, 'id')).toEqual(['9007199254740993'])
  })

  it('renames properties and types', async () => {
    await createParts('names')
    const properties: Properties = {
      ...WITHOUT_SIZE,
      weight: { type: 'integer', renamedFrom: 'size' },
    }
    const [type] = ontology('names', properties).objectTypes
    const renamed = { ...type, apiName: 'item', renamedFrom: 'part' } as ObjectTypeDefinition
    const definition = { ...ontology('names', properties), objectTypes: [renamed] }
    for (const attempt of ['first', 'again']) {
      const answer = await put(definition)
      expect([attempt, answer.status]).toEqual([attempt, 200])
      expect(answer.body.objectTypes[0]).toMatchObject({
        renamedFrom: 'part',
        properties: { weight: { renamedFrom: 'size' } },
      })
    }
    const page = await service.send(
      '/api/v1/ontologies/names/objects/item?properties.weight.lte=2&orderBy=properties.weight',
    )
    expect(valuesOf(page, 'weight')).toEqual([1, 2])
    expect(page.body.data[0].properties).not.toHaveProperty('size')
    expect((await list('names')).body.errorName).toBe('ObjectTypeNotFound')
  })

  it('drops values only if that is allowed', async () => {
    await createParts('loss')
    const refused = await put(ontology('loss', WITHOUT_SIZE))
    expect(refused.body.parameters.reasons).toEqual([
      expect.stringMatching(/^property part\.size is missing.*allowDataLoss=true/),
    ])
    expect((await put(ontology('loss', WITHOUT_SIZE), '?allowDataLoss=true')).status).toBe(200)
    const page = await list('loss', '?pageSize=1')
    expect(page.body.data[0].properties).toEqual({ ...OBJECTS[0], size: undefined })
    // A property of the same name is a new one.
    expect((await put(ontology('loss', PROPERTIES))).status).toBe(200)
    expect(valuesOf(await list('loss'), 'size')).toEqual(OBJECTS.map(() => undefined))
  })

  it('is refused with the first ten values that do not fit, and changes nothing', async () => {
    await createParts('unfit')
    await service.put('unfit', 'part', [
      { id: 100, code: '7' },
      { id: 101, name: 'x' },
    ])
    const before = (await service.send('/api/admin/v1/ontologies/unfit')).body
    const narrow: Properties = { ...PROPERTIES, name: { type: 'integer' } }
    const definition = ontology('unfit', narrow)
    const answer = await put(definition)
    expect([answer.status, answer.body.errorName]).toEqual([409, 'OntologyChangeRefused'])
    const { unfitObjects, reasons } = answer.body.parameters
    expect(unfitObjects).toEqual(
      OBJECTS.map(({ id }) => ({
        objectType: 'part',
        primaryKey: String(id),
        property: 'name',
        reason: 'is not an integer',
      })),
    )
    expect(reasons[3]).toBe('object 3 of part: name is not an integer')
    expect((await service.send('/api/admin/v1/ontologies/unfit')).body).toEqual(before)
    expect(valuesOf(await list('unfit'), 'name')).toContain('Part 3')
  })

  it('can change the primary key if no two objects share the new one', async () => {
    await createParts('keys')
    const keyed = (primaryKey: string) => {
      const definition = ontology('keys', PROPERTIES)
      const objectTypes = definition.objectTypes.map((type) => ({ ...type, primaryKey }))
      return { ...definition, objectTypes }
    }
    expect((await put(keyed('code'))).status).toBe(200)
    expect((await list('keys', '/300')).body.properties).toMatchObject({ id: 3 })
    await service.put('keys', 'part', [{ code: 'x', id: 3 }, { code: 'y' }])
    const answer = await put(keyed('id'))
    expect(answer.body.parameters.reasons).toEqual([
      'object x of part: id would have the primary key of another object',
      'object y of part: id is the primary key and is missing',
    ])
  })

  it('is seen as a whole by readers: the old one or the new one', async () => {
    await createParts('flips')
    let isDone = false
    const read = async () => {
      let pages = 0
      for (; !isDone; pages += 1) {
        const page = await list('flips', '?properties.size.gte=3&orderBy=properties.size')
        expect([page.status, page.body.errorName]).toEqual([200, undefined])
        const sizes: unknown[] = valuesOf(page, 'size')
        expect(sizes.map(Number)).toEqual([3, 4, 5, 6, 7, 8, 9, 10])
        expect(new Set(sizes.map((size) => typeof size)).size).toBe(1)
      }
      return pages
    }
    const readers = [read(), read(), read()]
    try {
      // Fewer than the attempts of a request: with columns, each can take as long as a change.
      for (const type of ['long', 'integer', 'decimal', 'integer'] as const) {
        const answer = await put(ontology('flips', { ...PROPERTIES, size: { type } }))
        expect([type, answer.status]).toEqual([type, 200])
      }
    } finally {
      isDone = true
    }
    expect(Math.min(...(await Promise.all(readers)))).toBeGreaterThan(0)
  })

  it('is planned without being carried out', async () => {
    await createParts('plan')
    const properties: Properties = {
      id: { type: 'integer' },
      weight: { type: 'long', renamedFrom: 'size' },
      name: { type: 'date' },
      code: { type: 'string' },
      added: { type: 'string' },
    }
    const link = { apiName: 'self', from: 'part', to: 'part', foreignKey: 'id' }
    const definition = ontology('plan', properties, { linkTypes: [link] })
    const { status, body } = await put(definition, '?dryRun=true')
    expect(status).toBe(200)
    expect(body.changes).toEqual([
      { kind: 'renamed', objectType: 'part', property: 'weight', from: 'size', objects: 10 },
      {
        kind: 'widened',
        objectType: 'part',
        property: 'weight',
        from: 'integer',
        to: 'long',
        objects: 10,
      },
      {
        kind: 'reread',
        objectType: 'part',
        property: 'name',
        from: 'string',
        to: 'date',
        objects: 10,
      },
      { kind: 'added', objectType: 'part', property: 'added', to: 'string', objects: 0 },
      {
        kind: 'dropped',
        objectType: 'part',
        property: 'tags',
        from: 'array of string',
        objects: 10,
      },
      { kind: 'added', objectType: 'part', linkType: 'self', objects: 0 },
    ])
    expect(body.rewrittenObjects).toBe(10)
    expect(body.refused).toEqual([expect.stringContaining('allowDataLoss=true')])
    const allowed = await put(definition, '?dryRun=true&allowDataLoss=true')
    expect(allowed.body.refused).toHaveLength(10)
    expect(allowed.body.refused[0]).toBe('object 0 of part: name is not a date: YYYY-MM-DD')
    expect(valuesOf(await list('plan', '?pageSize=1'), 'size')).toEqual([10])
    expect(allowed.body).toMatchObject({ triedObjects: 10, unfitCount: 10 })
    expect(allowed.body.unfitObjects[0]).toEqual({
      objectType: 'part',
      primaryKey: '0',
      property: 'name',
      reason: 'is not a date: YYYY-MM-DD',
    })
    const unchanged = await put(ontology('plan', PROPERTIES), '?dryRun=true')
    const nothing = { changes: [], rewrittenObjects: 0, refused: [] }
    expect(unchanged.body).toEqual({ pending: false, ...nothing })
    const described = { ...ontology('plan', PROPERTIES), description: 'Other words.' }
    expect((await put(described, '?dryRun=true')).body).toEqual({ pending: true, ...nothing })
  })
})

describe('a walk that began before the definition changed', () => {
  /** Starts walks, widens `size`, and requests their second pages. */
  async function continueWalks(
    apiName: string,
    queries: readonly string[],
    meanwhile: () => Promise<void> = async () => {},
  ) {
    await createParts(apiName)
    const first = await Promise.all(queries.map((query) => list(apiName, `?pageSize=4${query}`)))
    await meanwhile()
    const wider: Properties = { ...PROPERTIES, size: { type: 'long' } }
    expect((await put(ontology(apiName, wider))).status).toBe(200)
    return Promise.all(
      queries.map((query, index) =>
        list(apiName, `?pageSize=10${query}&pageToken=${first[index]?.body.nextPageToken}`),
      ),
    )
  }

  it('continues in key order: with its snapshot, or with the latest values', async () => {
    const [snapshot, latest] = await continueWalks('walks', ['&snapshot=true', ''])
    expect(valuesOf(snapshot ?? { body: {} }, 'size')).toEqual([6, 5, 4, 3, 2, 1])
    expect(valuesOf(latest ?? { body: {} }, 'size')).toEqual(['6', '5', '4', '3', '2', '1'])
  })

  it('continues with its snapshot if all objects were deleted before the change', async () => {
    const queries = ['&snapshot=true', '', '&snapshot=true&properties.id.gte=0']
    const [snapshot, latest, filtered] = await continueWalks('emptied', queries, async () => {
      const keys = OBJECTS.map(({ id }) => ({ delete: id }))
      expect((await service.write('emptied', 'part', keys)).status).toBe(200)
    })
    expect(valuesOf(snapshot ?? { body: {} }, 'size')).toEqual([6, 5, 4, 3, 2, 1])
    expect(latest?.body.data).toEqual([])
    expect(filtered?.body.parameters).toMatchObject({ reason: 'redefined', objectType: 'part' })
    expect((await service.put('emptied', 'part', [{ id: 1, size: '7' }])).status).toBe(200)
    expect(valuesOf(await list('emptied', '?orderBy=properties.size'), 'size')).toEqual(['7'])
  })

  it('is refused if it is an export that resumes after a key of the earlier definition', async () => {
    await createParts('exports')
    const path = '/api/admin/v1/ontologies/exports/objects/part/export'
    const version = (await service.send(path)).headers.get('oqs-version')
    const resumed = `${path}?version=${version}&after=4&received=5`
    expect((await service.send(resumed)).text.split('\n')).toHaveLength(6)
    const textKeys: Properties = { ...PROPERTIES, id: { type: 'string' } }
    expect((await put(ontology('exports', textKeys))).status).toBe(200)
    const { status, body } = await service.send(resumed)
    expect([status, body.errorName, body.parameters.reason]).toEqual([
      400,
      'InvalidPageToken',
      'redefined',
    ])
  })

  it('is refused with a clear reason if it depends on property values', async () => {
    const pages = await continueWalks('refusals', [
      '&snapshot=true&properties.id.gte=0',
      '&snapshot=true&orderBy=properties.name',
      '&orderBy=properties.size',
    ])
    for (const { status, body } of pages) {
      expect(status).toBe(400)
      expect(body.errorName).toBe('InvalidPageToken')
      expect(body.parameters).toMatchObject({ reason: 'redefined', objectType: 'part' })
    }
  })
})

describe('deleting', () => {
  const COUNTRY: ObjectTypeDefinition = {
    apiName: 'country',
    primaryKey: 'code',
    properties: { code: { type: 'string' } },
  }
  const linked = (apiName: string): OntologyDefinition => ({
    ...ontology(apiName, { ...PROPERTIES, code: { type: 'string' } }),
    objectTypes: [...ontology(apiName, PROPERTIES).objectTypes, COUNTRY],
    linkTypes: [
      {
        apiName: 'country',
        reverseApiName: 'parts',
        from: 'part',
        to: 'country',
        foreignKey: 'code',
      },
    ],
  })
  const remove = (path: string, options: object = {}) =>
    service.send(`/api/admin/v1/ontologies/${path}`, { method: 'DELETE', ...options })

  it('an object type is refused while a link leads to it, unless it cascades', async () => {
    await put(linked('types'))
    await service.put('types', 'part', OBJECTS)
    await service.put('types', 'country', [{ code: '300' }])
    const page = await service.send('/api/v1/ontologies/types/objects/part?pageSize=4')
    const refused = await remove('types/objectTypes/part')
    expect([refused.status, refused.body.errorName]).toEqual([409, 'OntologyChangeRefused'])
    expect(refused.body.parameters.reasons).toEqual([
      'link type country from part to country would be deleted as well; to do so, use cascade=true (oqs ontology delete types part --cascade)',
    ])
    const deleted = await remove('types/objectTypes/part?cascade=true')
    expect(deleted.body).toEqual({ objectTypes: ['part'], linkTypes: ['country'], objects: 10 })
    const { nextPageToken } = page.body
    const next = await list('types', `?pageSize=4&pageToken=${nextPageToken}`)
    expect([next.status, next.body.errorName]).toEqual([404, 'ObjectTypeNotFound'])
    const { body } = await service.send('/api/admin/v1/ontologies/types')
    expect(body).toMatchObject({ linkTypes: [], objectTypes: [{ apiName: 'country' }] })
    expect((await remove('types/objectTypes/part')).body.errorName).toBe('ObjectTypeNotFound')
    expect((await remove('types/objectTypes/country')).body.objects).toBe(1)
  })

  it('an ontology is refused while it has objects, unless it cascades', async () => {
    await put(linked('whole'))
    await service.put('whole', 'part', OBJECTS)
    const refused = await remove('whole')
    expect(refused.body.parameters.reasons).toEqual([
      'object type part with its objects (10) would be deleted as well; to do so, use cascade=true (oqs ontology delete whole --cascade)',
    ])
    const deleted = await remove('whole?cascade=true')
    expect(deleted.body).toEqual({
      objectTypes: ['part', 'country'],
      linkTypes: ['country'],
      objects: 10,
    })
    expect((await list('whole')).body.errorName).toBe('OntologyNotFound')
    // Nothing of the old ontology is left: its name and its family can be used again.
    expect((await put(linked('whole'))).status).toBe(200)
    expect((await list('whole')).body.data).toEqual([])
    expect((await remove('whole')).status).toBe(200)
  })

  it('an ontology is refused while objects are loaded into it, unless it cascades', async () => {
    await put(linked('loads'))
    const path = '/api/admin/v1/ontologies/loads/objects/part'
    const { body } = await service.send(`${path}/replacements`, { method: 'POST' })
    const added = await service.send(`${path}?replacement=${body.replacement}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"put":{"id":1}}',
    })
    expect(added.status).toBe(200)
    const refused = await remove('loads')
    expect(refused.body.parameters.reasons).toEqual([
      expect.stringContaining('the objects that are loaded into object type part (1) would'),
    ])
    expect((await remove('loads?cascade=true')).body.objects).toBe(0)
  })

  it('needs the scope, and an ontology that the token may see', async () => {
    await put(linked('mine'))
    const reader = await service.createToken({ scopes: ['api:ontologies-read'] })
    const other = await service.createToken({
      scopes: ['api:ontologies-write'],
      ontologies: ['other'],
    })
    const own = await service.createToken({
      scopes: ['api:ontologies-write'],
      ontologies: ['mine'],
    })
    for (const path of ['mine', 'mine/objectTypes/part']) {
      expect((await remove(path, { token: reader })).status).toBe(403)
      expect((await remove(path, { token: other })).body.errorName).toBe('OntologyNotFound')
    }
    expect((await remove('mine/objectTypes/part?cascade=true', { token: own })).status).toBe(200)
    expect((await remove('mine', { token: own })).status).toBe(200)
  })
})
