import { expect, it } from 'vitest'
import { fromSearch } from '../view/view-state.ts'
import { linkAddress, linkRequests, shownProperties } from './view-link.ts'

const objectType = {
  apiName: 'city',
  rid: 't',
  primaryKey: 'id',
  titleProperty: 'name',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    people: { type: 'long' },
    mayor: { type: 'string' },
  },
} as const
const ontology = { apiName: 'world', rid: 'r', objectTypes: [objectType] }
const of = (search: string) => ({
  ontology,
  objectType,
  view: fromSearch(new URLSearchParams(search)),
})
const link = { name: 'Large', createdBy: 'ada', days: 7 }

it('limits a token to the objects and the columns of the view', () => {
  const view = of('w=people:gte:1000&c=people&o=people:desc&peek=7')
  const [policy, token] = linkRequests(view, link, 'x1')
  expect(policy).toMatchObject({ method: 'PUT', path: '/api/admin/v1/policies/link%20x1' })
  expect(policy.json).toMatchObject({
    rights: [
      {
        ontology: 'r',
        objectType: 'city',
        access: 'read',
        where: { type: 'gte', field: 'people', value: '1000' },
        hide: ['mayor'],
      },
    ],
  })
  expect(token.json).toEqual({
    name: 'Link by ada: Large',
    scopes: ['api:ontologies-read'],
    ontologies: ['r'],
    policies: ['link x1'],
    days: 7,
  })
  expect(linkAddress(view, 'oqs_s')).toBe('/o/world/city?o=people%3Adesc&c=people#link=oqs_s')
})

it('shows what a chart needs, and everything without chosen columns', () => {
  expect(shownProperties(of('c=name&view=charts&p=mayor~avg:people'))).toEqual([
    'id',
    'name',
    'people',
    'mayor',
  ])
  expect(shownProperties(of('w=people:gte:1'))).toBeUndefined()
})
