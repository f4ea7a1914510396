import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/contract/scopes.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'

/** Tokens that are limited to certain ontologies: they can change those, and learn of no other. */

const scopes: readonly Scope[] = ['api:ontologies-read', 'api:ontologies-write']
const typeRid = (name: string) => `ri.ontology.main.object-type.${name}`
const ontologyRid = (name: string) => `ri.ontology.main.ontology.${name}`

const THINGS: OntologyDefinition['objectTypes'] = [
  { apiName: 'thing', primaryKey: 'id', properties: { id: { type: 'string' } } },
]

function definition(apiName: string, more: Partial<OntologyDefinition> = {}): OntologyDefinition {
  return {
    apiName,
    objectTypes: THINGS,
    ...more,
  }
}

const withTypeRid = (rid: string) => THINGS.map((type) => ({ ...type, rid }))

describe('a token that is limited to certain ontologies', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(definition('own', { rid: ontologyRid('own'), families: ['own-family'] }))
    await service.apply(
      definition('hidden', {
        rid: ontologyRid('hidden'),
        families: ['hidden-family'],
        objectTypes: withTypeRid(typeRid('hidden')),
      }),
    )
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const put = (token: string, path: string, json: OntologyDefinition): Promise<TestResponse> =>
    service.send(`/api/admin/v1/ontologies/${path}`, { method: 'PUT', token, json })

  it.for([
    ['by RID', ontologyRid('own')],
    ['by API name', 'own'],
  ] as const)('[5.2] %s changes its own ontology by any of its names', async ([, entry]) => {
    const token = await service.createToken({ scopes, ontologies: [entry] })
    const [type] = (await service.send('/api/admin/v1/ontologies/own', { token })).body.objectTypes
    const rid = ontologyRid('own')
    const families = ['own-family']
    const changes: readonly [path: string, definition: OntologyDefinition][] = [
      ['own', definition('own', { families })],
      ['own', definition('own', { families, rid })],
      [rid, definition('own', { families })],
      [rid, definition('own', { families, rid, objectTypes: [type] })],
    ]
    for (const [path, changed] of changes) {
      const answer = await put(token, path, { ...changed, description: `by ${entry}` })
      expect([path, answer.status]).toEqual([path, 200])
      expect(answer.body).toMatchObject({ rid, description: `by ${entry}` })
    }
  })

  it('[5.2] defines an ontology in its list', async () => {
    const token = await service.createToken({ scopes, ontologies: ['planned'] })
    expect((await put(token, 'planned', definition('planned'))).status).toBe(200)
    expect((await service.send('/api/v1/ontologies/planned', { token })).status).toBe(200)
  })

  it('[5.2] cannot distinguish used names from unused ones', async () => {
    const own = ontologyRid('own')
    const pairs = (name: 'hidden' | 'nobody'): readonly [string, OntologyDefinition][] => [
      [name, definition(name)],
      [name, definition(name, { rid: own })],
      [name, definition('own')],
      [ontologyRid(name), definition(name)],
      [ontologyRid(name), definition('own')],
      [ontologyRid(name), definition('free')],
      ['own', definition(name)],
      [own, definition(name)],
      ['own', definition('own', { rid: ontologyRid(name) })],
      ['free', definition('free', { rid: ontologyRid(name) })],
      ['own', definition('own', { families: ['own-family', `${name}-family`] })],
      ['free', definition('free', { families: [`${name}-family`] })],
      ['own', definition('own', { objectTypes: withTypeRid(typeRid(name)) })],
      ['free', definition('free', { objectTypes: withTypeRid(typeRid(name)) })],
      // Other mistakes are reported afterwards.
      [name, definition(name, { objectTypes: [...THINGS, ...THINGS] })],
    ]
    for (const entry of ['own', own]) {
      const token = await service.createToken({ scopes, ontologies: [entry, 'free'] })
      const before = await service.send('/api/admin/v1/ontologies/hidden')
      const seen = pairs('nobody').map(() => [] as unknown[])
      for (const name of ['hidden', 'nobody'] as const) {
        for (const [index, [path, sent]] of pairs(name).entries()) {
          const { status, body, headers } = await put(token, path, sent)
          const { errorInstanceId, ...rest } = body
          expect(errorInstanceId).toBeTypeOf('string')
          seen[index]?.push({ status, rest, length: headers.get('content-length') })
        }
      }
      for (const [index, [hidden, nobody]] of (seen as [object, object][]).entries()) {
        expect({ index, seen: hidden }).toEqual({ index, seen: nobody })
        expect({ index, ...hidden }).toMatchObject({ index, status: 403 })
      }
      expect((await service.send('/api/admin/v1/ontologies/hidden')).body).toEqual(before.body)
      expect((await service.send('/api/v1/ontologies/nobody')).status).toBe(404)
    }
  })

  it('[5.2] finds neither a hidden ontology nor its family, by any name', async () => {
    const token = await service.createToken({ scopes, ontologies: ['own'] })
    for (const [hidden, nobody] of [
      ['hidden', 'nobody'],
      [ontologyRid('hidden'), ontologyRid('nobody')],
    ]) {
      for (const path of ['/api/v1/ontologies/', '/api/admin/v1/ontologies/']) {
        const answers = [
          await service.send(`${path}${hidden}`, { token }),
          await service.send(`${path}${nobody}`, { token }),
        ]
        expect(answers.map(({ status }) => status)).toEqual([404, 404])
      }
    }
    for (const family of ['hidden-family', 'nobody-family']) {
      const answer = await service.send(`/api/${family}/v1/objects/types/thing/search`, {
        token,
        json: { query: { type: 'empty' } },
      })
      expect([answer.status, answer.body.parameters]).toEqual([404, { apiFamily: family }])
    }
  })
})
