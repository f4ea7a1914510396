/** Requests to a service that has just started, and has no definition in memory. */
import { describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS } from '../support/ontologies.ts'
import { startService } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

const ADMIN = '/api/admin/v1'
const HIDDEN = [
  { path: '/api/v1/ontologies/numbers' },
  { path: '/api/v1/ontologies/numbers/objects/number' },
  { path: '/api/v2/ontologies/numbers/fullMetadata' },
  {
    path: '/api/v2/ontologies/numbers/objectSets/loadObjects',
    json: { objectSet: { type: 'base', objectType: 'number' } },
  },
  { path: `${ADMIN}/ontologies/numbers` },
  { path: `${ADMIN}/ontologies/numbers/counts` },
  { path: `${ADMIN}/ontologies/numbers/objects/number/export` },
  { path: `${ADMIN}/ontologies/numbers/objects/number/1`, method: 'DELETE' },
  { path: `${ADMIN}/ontologies/numbers`, method: 'DELETE', headers: { 'if-match': '"x"' } },
  { path: `${ADMIN}/ontologies/numbers/objectTypes/number`, method: 'DELETE' },
  { path: `${ADMIN}/downloads`, json: { ontology: 'numbers', objectType: 'number' } },
]

describe('a definition that is not in memory', () => {
  it('is loaded for callers that may see it, and not found by others', async () => {
    await using store = await createTestStore()
    await using first = await startService({ store: store.name })
    await first.apply(NUMBERS)
    await first.apply(AVIATION)
    const rights = [{ ontology: 'aviation', objectType: '*', access: 'read' }]
    await first.send(`${ADMIN}/policies/travel`, { method: 'PUT', json: { rights } })
    const scopes = ['api:ontologies-read', 'api:ontologies-write'] as const
    const tokens = [
      await first.createToken({ scopes, ontologies: ['aviation'] }),
      await first.createToken({ scopes, policies: ['travel'] }),
    ]
    for (const token of tokens) {
      await using service = await startService({ store: store.name })
      service.clock.now = first.clock.now
      for (const { path, ...request } of HIDDEN) {
        const { status, body } = await service.send(path, { ...request, token })
        expect([path, status, body.errorName]).toEqual([path, 404, 'OntologyNotFound'])
      }
      const applied = await service.send(`${ADMIN}/ontologies/numbers`, {
        method: 'PUT',
        headers: { 'if-none-match': '*' },
        json: NUMBERS,
        token,
      })
      expect([applied.status, applied.body.errorName]).toEqual([403, 'ApiUsageDenied'])
      const seen = await service.send('/api/v2/ontologies', { token })
      expect(seen.body.data.map(({ apiName }: { apiName: string }) => apiName)).toEqual([
        'aviation',
      ])
      const { status } = await service.send('/api/v2/ontologies/aviation/fullMetadata', { token })
      expect(status).toBe(200)
    }
  })
})
