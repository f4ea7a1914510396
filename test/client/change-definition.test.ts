import { afterAll, beforeAll, expect, it } from 'vitest'
import { Endpoints } from '../../src/client/endpoints/endpoints.ts'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { changeDefinition } from '../../src/transfer/import/change-definition.ts'
import { withType } from '../../src/transfer/infer/definition.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const properties = { id: { type: 'string' } } as const
const add = (apiName: string) => (current: OntologyDefinition | undefined) =>
  withType(current, 'shared', { definition: { apiName, primaryKey: 'id', properties } })

it('changes a definition again if somebody else changed it meanwhile, so that nothing is lost', async () => {
  const plain = new Endpoints({ baseUrl: service.url, token: ADMIN_TOKEN }).administration
  const others = ['b', 'd']
  const { administration } = new Endpoints({
    baseUrl: service.url,
    token: ADMIN_TOKEN,
    /** Lets somebody else change the definition before it is written. */
    fetch: async (url, init) => {
      const other = init?.method === 'PUT' ? others.pop() : undefined
      if (other !== undefined) await changeDefinition(plain, 'shared', add(other))
      return fetch(url, init)
    },
  })
  await changeDefinition(administration, 'shared', add('a'))
  await changeDefinition(administration, 'shared', add('c'))
  const { objectTypes } = (await plain.getDefinition('shared')) as OntologyDefinition
  expect(objectTypes.map(({ apiName }) => apiName).toSorted()).toEqual(['a', 'b', 'c', 'd'])
})
