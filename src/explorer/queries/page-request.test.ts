import { describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { EMPTY_VIEW, type ViewState } from '../view/view-state.ts'
import { chooseRevision, pageRequest } from './page-request.ts'

const objectType: ObjectTypeDefinition = {
  apiName: 'city',
  rid: 'ri.ontology.main.object-type.1',
  primaryKey: 'id',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    population: { type: 'long' },
    location: { type: 'geopoint' },
    names: { type: 'array', items: { type: 'struct', fields: { text: { type: 'string' } } } },
  },
}
const ontology: OntologyDefinition = {
  apiName: 'world',
  rid: 'ri.ontology.main.ontology.1',
  families: ['world'],
  objectTypes: [objectType],
}
const request = (view: Partial<ViewState>, revision = chooseRevision({ ...EMPTY_VIEW, ...view })) =>
  pageRequest({ ontology, objectType, view: { ...EMPTY_VIEW, ...view } }, revision, {
    pageSize: 1000,
  })

describe('the request for a page', () => {
  it('lists in revision 1.0 without conditions', () => {
    expect(request({ order: [{ property: 'name', direction: 'desc' }], isSnapshot: true })).toEqual(
      {
        path: '/api/v1/ontologies/world/objects/city',
        query: { pageSize: 1000, orderBy: 'properties.name:desc', snapshot: true },
      },
    )
  })

  it('reads from the end, where objects without a value come', () => {
    const reversed = (order: ViewState['order'], revision: 'v2' | '1') => {
      const of = { ontology, objectType, view: { ...EMPTY_VIEW, order } }
      return pageRequest(of, revision, { pageSize: 10, isReversed: true })
    }
    expect(reversed([], '1').query).toMatchObject({ orderBy: 'properties.id:desc' })
    const { json } = reversed(
      [
        { property: 'name', direction: 'desc' },
        { property: 'population', direction: 'asc' },
      ],
      'v2',
    )
    expect(json).toMatchObject({
      orderBy: {
        fields: [
          { field: 'name', direction: 'asc', nulls: 'first' },
          { field: 'population', direction: 'desc', nulls: 'first' },
        ],
      },
    })
  })

  it('searches in v2 with conditions, text and a box', () => {
    const { path, json } = request({
      filters: [
        { field: 'id', operator: 'gte', value: '7' },
        { field: 'population', operator: 'lt', value: '9007199254740993' },
        { field: 'name', operator: 'empty', value: '' },
      ],
      text: 'new york',
      box: [5, 45, 11, 48],
    })
    expect(path).toBe('/api/v2/ontologies/world/objects/city/search')
    expect(json).toMatchObject({
      where: {
        type: 'and',
        value: [
          { type: 'gte', field: 'id', value: 7 },
          // No digit of a long is lost.
          { type: 'lt', field: 'population', value: '9007199254740993' },
          { type: 'isNull', field: 'name', value: true },
          // The last word may be unfinished.
          {
            type: 'or',
            value: [
              {
                type: 'and',
                value: [
                  { type: 'containsAllTerms', field: 'name', value: 'new' },
                  { type: 'containsAllTermsInOrderPrefixLastTerm', field: 'name', value: 'york' },
                ],
              },
            ],
          },
          { type: 'withinBoundingBox', field: 'location' },
        ],
      },
    })
  })

  it('writes fields as each API names them', () => {
    const filters = [{ field: 'names/text', operator: 'eq' as const, value: 'x' }]
    expect(request({ filters }, '1').json).toMatchObject({
      query: { field: 'properties.names.text' },
    })
    expect(request({ filters }, '2').json).toMatchObject({ query: { field: 'names:text' } })
  })

  it('orders by several properties', () => {
    const order = [
      { property: 'name', direction: 'desc' as const },
      { property: 'id', direction: 'asc' as const },
    ]
    expect(request({ order }).query).toMatchObject({
      orderBy: 'properties.name:desc,properties.id:asc',
    })
    expect(request({ order, text: 'x' }).json).toMatchObject({
      orderBy: {
        fields: [
          { field: 'name', direction: 'desc' },
          { field: 'id', direction: 'asc' },
        ],
      },
    })
  })

  it('continues after a key as a walk of its own', () => {
    const of = { ontology, objectType, view: EMPTY_VIEW }
    expect(pageRequest(of, '1', { pageSize: 10, after: '7' })).toMatchObject({
      method: 'POST',
      json: { query: { type: 'gt', field: 'properties.id', value: 7 } },
    })
  })

  it('says what an API cannot express', () => {
    expect(() => request({ box: [5, 45, 11, 48] }, '1')).toThrow('a box')
    expect(() => request({ order: [{ property: 'id', direction: 'asc' }] }, '2')).toThrow(
      'an order',
    )
  })
})
