import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../../../../test/support/ontologies.ts'
import { openTransaction } from '../../../../test/support/postgres.ts'
import { type SendOptions, type Service, startService } from '../../../../test/support/service.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'

const LIST = '/api/v1/ontologies/numbers/objects/number'
const PAGES: readonly (readonly [path: string, options: SendOptions])[] = [
  [LIST, {}],
  [`${LIST}/1`, {}],
  [`${LIST}/search`, { json: { query: { type: 'eq', field: 'properties.n', value: 1 } } }],
  ['/api/family/v1/objects/types/number/search', { json: { query: { type: 'empty' } } }],
  ['/api/v2/ontologies/numbers/objects/number', {}],
  ['/api/v2/ontologies/numbers/objects/number/search', { json: {} }],
]

type Properties = OntologyDefinition['objectTypes'][number]['properties']

const laterWith = (properties: Properties): OntologyDefinition => ({
  apiName: 'later',
  objectTypes: [{ apiName: 'one', primaryKey: 'k', properties }],
})

describe('a node that remembers tokens and definitions, beside another node', () => {
  let place: TestStore
  let node: Service
  let other: Service
  beforeAll(async () => {
    place = await createTestStore()
    node = await startService({ store: place.name })
    other = await startService({ store: place.name })
    await node.apply(NUMBERS)
    await node.put('numbers', 'number', numbers(3))
  })
  afterAll(async () => {
    await node[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  it.each(PAGES)(
    '[5.1] rejects a token at once that the other node revoked: %s',
    async (path, options) => {
      const name = `revoked for ${path}`
      const token = await node.createToken({ name })
      for (const _ of [1, 2]) {
        expect((await node.send(path, { ...options, token })).status).toBe(200)
      }
      expect(await other.revokeTokens(name)).toBe(1)
      for (const _ of [1, 2]) {
        const { status, body } = await node.send(path, { ...options, token })
        expect([status, body.parameters]).toEqual([401, { error: 'REVOKED' }])
      }
    },
  )

  it('rejects a revoked token before anything else that is wrong with the request', async () => {
    const token = await node.createToken({ name: 'wrong' })
    const [path, options] = [`${LIST}?pageSize=x`, { token }]
    expect((await node.send(LIST, { token })).status).toBe(200)
    expect((await node.send(path, options)).status).toBe(400)
    await other.revokeTokens('wrong')
    expect((await node.send(path, options)).status).toBe(401)
  })

  it('keeps accepting the other tokens', async () => {
    const token = await node.createToken()
    await other.revokeTokens('wrong')
    for (const _ of [1, 2]) expect((await node.send(LIST, { token })).status).toBe(200)
  })

  it('reads neither tokens nor definitions for a page', async () => {
    const token = await node.createToken()
    await node.send(LIST, { token })
    await using _ = await openTransaction(
      place.name,
      'LOCK TABLE oqs_api_token, oqs_ontology IN ACCESS EXCLUSIVE MODE',
    )
    for (const [path, options] of PAGES) {
      expect((await node.send(path, { ...options, token })).status).toBe(200)
    }
  })

  it('shows a definition as soon as the other node has saved it', async () => {
    const path = '/api/v1/ontologies/later/objects/one'
    expect((await node.send(path)).status).toBe(404)
    await other.apply(laterWith({ k: { type: 'string' } }))
    expect((await node.send(path)).status).toBe(200)
    await other.put('later', 'one', [{ k: 'a' }])
    const search = { json: { query: { type: 'eq', field: 'properties.added', value: 'x' } } }
    expect((await node.send(`${path}/search`, search)).status).toBe(404)
    await other.apply(laterWith({ k: { type: 'string' }, added: { type: 'string' } }))
    await other.put('later', 'one', [{ k: 'b', added: 'x' }])
    expect((await node.send(`${path}/search`, search)).body.data).toHaveLength(1)
    expect((await node.send(path)).body.data).toHaveLength(2)
  })
})
