import { describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { startService } from '../support/service.ts'
import { valuesOf, walkPages } from '../support/walk.ts'

/** Returns the definition with its first object type changed. */
function withType(definition: OntologyDefinition, change: object): OntologyDefinition {
  const [first, ...others] = definition.objectTypes
  return { ...definition, objectTypes: [{ ...first, ...change }, ...others] } as OntologyDefinition
}

describe('defining an ontology', () => {
  it('assigns RIDs, keeps them, and returns the definition', async () => {
    await using service = await startService()
    const first = await service.apply(AVIATION)
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject(AVIATION)
    expect(first.body.rid).toMatch(/^ri\.ontology\.main\.ontology\.[0-9a-f-]{36}$/)
    const again = await service.apply(AVIATION)
    const read = await service.send('/api/admin/v1/ontologies/aviation')
    const byRid = await service.send(`/api/admin/v1/ontologies/${first.body.rid}`)
    for (const answer of [again, read, byRid]) expect(answer.body).toEqual(first.body)
  })

  it('rejects mistakes with their paths', async () => {
    await using service = await startService()
    const cases: readonly [object, string][] = [
      [withType(AVIATION, { primaryKey: 'nope' }), 'objectTypes[0].primaryKey'],
      [withType(AVIATION, { titleProperty: 'names' }), 'objectTypes[0].titleProperty'],
      [withType(AVIATION, { apiName: 'a b' }), 'objectTypes[0].apiName'],
      [
        withType(AVIATION, { properties: { id: { type: 'text' } } }),
        'objectTypes[0].properties.id.type',
      ],
      [withType(AVIATION, { retrievalLimit: 0 }), 'objectTypes[0].retrievalLimit'],
      [withType(AVIATION, { colour: 'red' }), 'objectTypes[0].colour'],
      [{ ...AVIATION, families: ['admin'] }, 'families[0]'],
      [
        {
          ...AVIATION,
          linkTypes: [{ apiName: 'x', from: 'airport', to: 'moon', foreignKey: 'id' }],
        },
        'linkTypes[0].to',
      ],
      [{ ...AVIATION, objectTypes: undefined }, 'objectTypes'],
      [{ ...AVIATION, apiName: 'other' }, 'apiName'],
    ]
    for (const [definition, path] of cases) {
      const answer = await service.send('/api/admin/v1/ontologies/aviation', {
        method: 'PUT',
        json: definition,
      })
      expect([path, answer.status, answer.body.errorName]).toEqual([
        path,
        400,
        'InvalidOntologyDefinition',
      ])
      expect(answer.body.parameters.mistakes[0].path).toBe(path)
    }
    expect((await service.send('/api/admin/v1/ontologies/aviation')).status).toBe(404)
  })

  it('rejects a family, a name or a RID of another ontology', async () => {
    await using service = await startService()
    const { body: numbersDefinition } = await service.apply(NUMBERS)
    const family = await service.apply({ ...AVIATION, families: ['family'] })
    expect(family.body.parameters.mistakes).toEqual([
      { path: 'families[0]', reason: 'belongs to another ontology' },
    ])
    const rid = await service.apply(
      withType(AVIATION, { rid: numbersDefinition.objectTypes[0].rid }),
    )
    expect(rid.body.parameters.mistakes[0].path).toBe('objectTypes[0].rid')
    const { body: aviation } = await service.apply(AVIATION)
    const renamed = await service.send(`/api/admin/v1/ontologies/${aviation.rid}`, {
      method: 'PUT',
      json: { ...aviation, apiName: 'numbers' },
    })
    expect(renamed.body.parameters.mistakes[0].path).toBe('apiName')
  })

  it('accepts new properties, struct fields, types and links for stored objects', async () => {
    await using service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
    const properties = { ...NUMBERS.objectTypes[0]?.properties, more: { type: 'boolean' } }
    expect((await service.apply(withType(NUMBERS, { properties }))).status).toBe(200)
    expect((await service.put('numbers', 'number', [{ n: 3, more: true }])).status).toBe(200)
    const pages = await walkPages(service, {
      revision: '1.0',
      ontology: 'numbers',
      objectType: 'number',
    })
    expect(valuesOf(pages, 'more')).toEqual([undefined, undefined, undefined, true])
  })

  it('rejects changes that lose values with all reasons, and changes nothing', async () => {
    await using service = await startService()
    const { body: before } = await service.apply(AVIATION)
    await service.put('aviation', 'airport', [{ id: 'LAX' }])
    const harmful = withType(AVIATION, {
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        countryCode: { type: 'string' },
      },
    })
    const answer = await service.apply(harmful)
    expect(answer.status).toBe(409)
    expect(answer.body.errorName).toBe('OntologyChangeRefused')
    const dropped = ['elevation', 'passengers', 'opened', 'location', 'aliases', 'names']
    expect(answer.body.parameters.reasons).toEqual(
      dropped.map(
        (property) =>
          `property airport.${property} is missing from the definition, and airport has 1 object. To rename it, set renamedFrom; to drop its values, use allowDataLoss=true (oqs ontology apply --allow-data-loss)`,
      ),
    )
    expect((await service.send('/api/admin/v1/ontologies/aviation')).body).toEqual(before)
    const gone = await service.apply({ ...AVIATION, objectTypes: [], linkTypes: [] })
    expect(gone.body.parameters.reasons).toEqual([
      'object type airport has 1 object and is missing from the definition. To rename it, set renamedFrom; to delete it, use DELETE /api/admin/v1/ontologies/aviation/objectTypes/airport (oqs ontology delete aviation airport)',
    ])
  })

  it('accepts a wider type, and another name under the same RID, for stored objects', async () => {
    await using service = await startService()
    const { body } = await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
    const [type] = body.objectTypes
    const renamed = await service.apply({ ...body, objectTypes: [{ ...type, apiName: 'renamed' }] })
    expect(renamed.status).toBe(200)
    expect(renamed.body.objectTypes[0].rid).toBe(type.rid)
    const walk = { revision: '1.0', ontology: 'numbers', objectType: 'renamed' } as const
    expect(valuesOf(await walkPages(service, walk), 'n')).toEqual([0, 1, 2])
    expect((await service.send('/api/v1/ontologies/numbers/objects/number')).status).toBe(404)
  })

  it('never replaces an ontology by its RID under another name', async () => {
    await using service = await startService()
    const { body } = await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
    const answer = await service.apply({ apiName: 'thief', rid: body.rid, objectTypes: [] })
    expect(answer.body.parameters.mistakes[0].path).toBe('rid')
    const walk = { revision: '1.0', ontology: 'numbers', objectType: 'number' } as const
    expect(valuesOf(await walkPages(service, walk), 'n')).toEqual([0, 1, 2])
  })

  it('allows any change of empty types, and removes them', async () => {
    await using service = await startService()
    await service.apply(NUMBERS)
    const changed = withType(NUMBERS, { properties: { n: { type: 'string' } } })
    expect((await service.apply(changed)).status).toBe(200)
    expect((await service.put('numbers', 'number', [{ n: 'one' }])).status).toBe(200)
    expect((await service.write('numbers', 'number', [{ delete: 'one' }])).status).toBe(200)
    expect((await service.apply({ ...NUMBERS, objectTypes: [] })).status).toBe(200)
    expect((await service.send('/api/v1/ontologies/numbers/objects/number')).status).toBe(404)
  })

  it('changes the titles of stored objects with the title property', async () => {
    await using service = await startService()
    await service.apply(AVIATION)
    await service.put('aviation', 'airport', [
      { id: 'A', name: 'Name "A"', elevation: 5 },
      { id: 'B', name: 'Name B' },
    ])
    const titles = async () => {
      const [page] = await walkPages(service, {
        revision: '2.0',
        ontology: 'aviation',
        family: 'gotham',
        objectType: 'airport',
      })
      return page?.data.map((record) => record.title)
    }
    expect(await titles()).toEqual(['Name "A"', 'Name B'])
    await service.apply(withType(AVIATION, { titleProperty: 'elevation' }))
    expect(await titles()).toEqual(['5', undefined])
    await service.apply(withType(AVIATION, { titleProperty: undefined }))
    expect(await titles()).toEqual([undefined, undefined])
    await service.apply(AVIATION)
    expect(await titles()).toEqual(['Name "A"', 'Name B'])
  })

  it('accepts definitions of several ontologies at the same time', async () => {
    await using service = await startService()
    const definitions = ['one', 'two', 'three', 'four'].map((apiName) => ({ ...NUMBERS, apiName }))
    const answers = await Promise.all(
      definitions.map(({ families: _, ...definition }) => service.apply(definition)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { body } = await service.send('/api/v1/ontologies')
    expect(body.data).toHaveLength(4)
  })

  it('rejects names that are not Unicode, and keeps such descriptions as they are', async () => {
    await using service = await startService()
    const lone = 'a\ud800b'
    const properties = { n: { type: 'integer' }, [lone]: { type: 'string' } }
    const refused: [object, string][] = [
      [{ apiName: lone }, 'objectTypes[0].apiName'],
      [{ properties }, `objectTypes[0].properties.${lone}`],
      [{ primaryKey: lone }, 'objectTypes[0].primaryKey'],
      [{ properties: { n: { type: 'integer', language: lone } } }, 'objectTypes[0].properties.n'],
    ]
    for (const [change, path] of refused) {
      const { status, body } = await service.apply(withType(NUMBERS, change))
      expect([status, body.errorName]).toEqual([400, 'InvalidOntologyDefinition'])
      expect(body.parameters.mistakes[0].path).toContain(path)
    }
    const described = withType(NUMBERS, { displayName: lone, description: lone })
    expect((await service.apply(described)).status).toBe(200)
    const read = await service.send('/api/admin/v1/ontologies/numbers')
    expect(read.body.objectTypes[0]).toMatchObject({ displayName: lone, description: lone })
    const listed = await service.send('/api/v2/ontologies/numbers/objectTypes/number')
    expect(listed.body.displayName).toBe(lone)

    const object = '/api/admin/v1/ontologies/numbers/objects/number'
    for (const [json, property] of [
      [{ n: 1, text: lone }, 'text'],
      [{ n: 1, [lone]: 'x' }, lone],
    ] as const) {
      const put = await service.send(`${object}/1`, { method: 'PUT', json })
      expect([put.status, put.body.parameters.parameter]).toEqual([422, property])
      expect((await service.put('numbers', 'number', [json])).status).toBe(400)
    }
    const token = { name: lone, scopes: ['api:ontologies-read'] }
    const { status, body } = await service.send('/api/admin/v1/tokens', { json: token })
    expect([status, body.parameters.parameter]).toEqual([422, 'name'])
  })

  it('serves object types and properties with unusual names', async () => {
    await using service = await startService()
    const names = ['constructor', 'toString', 'a-b.c_d', '0', 'SELECT']
    for (const name of names) {
      const definition: OntologyDefinition = {
        apiName: name,
        families: [name],
        objectTypes: [
          { apiName: name, primaryKey: name, properties: { [name]: { type: 'string' } } },
        ],
      }
      expect([name, (await service.apply(definition)).status]).toEqual([name, 200])
      await service.put(name, name, [{ [name]: name }])
      for (const revision of ['1.0', '2.0'] as const) {
        const walk = { revision, ontology: name, family: name, objectType: name }
        expect(valuesOf(await walkPages(service, walk), name)).toEqual([name])
      }
    }
  })
})
