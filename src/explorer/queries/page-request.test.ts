import { describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition, OntologyDefinition } from '../api/ontology.ts'
import { EMPTY_VIEW, type ViewState } from '../view/view-state.ts'
import { pageRequest } from './page-request.ts'

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
const request = (view: Partial<ViewState>, isReversed = false) =>
  pageRequest(
    { ontology, objectType, view: { ...EMPTY_VIEW, ...view } },
    { pageSize: 1000, isReversed },
  )

describe('the request for a page', () => {
  it('searches for every object without conditions', () => {
    expect(request({ isSnapshot: true })).toEqual({
      method: 'POST',
      path: '/api/v2/ontologies/world/objects/city/search',
      json: { select: [], selectV2: [], excludeRid: true, pageSize: 1000, snapshot: true },
    })
  })

  it('reads from the end, where objects without a value come', () => {
    const orderOf = (order: ViewState['order']) => request({ order }, true).json
    expect(orderOf([])).toMatchObject({
      orderBy: { fields: [{ field: 'id', direction: 'desc' }] },
    })
    const order = [
      { property: 'name', direction: 'desc' as const },
      { property: 'population', direction: 'asc' as const },
    ]
    expect(orderOf(order)).toMatchObject({
      orderBy: {
        fields: [
          { field: 'name', direction: 'asc', nulls: 'first' },
          { field: 'population', direction: 'desc', nulls: 'first' },
        ],
      },
    })
  })

  it('searches with conditions, text and a box', () => {
    const { json } = request({
      filters: [
        { field: 'id', operator: 'gte', value: '7' },
        { field: 'population', operator: 'lt', value: '9007199254740993' },
        { field: 'name', operator: 'empty', value: '' },
      ],
      text: 'new york',
      box: [5, 45, 11, 48],
    })
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

  it('names the field of a struct by both names', () => {
    const filters = [{ field: 'names/text', operator: 'eq' as const, value: 'x' }]
    const propertyIdentifier = {
      ...{ type: 'structField', propertyApiName: 'names', structFieldApiName: 'text' },
    }
    expect(request({ filters }).json).toMatchObject({ where: { type: 'eq', propertyIdentifier } })
  })

  it('orders by several properties', () => {
    const order = [
      { property: 'name', direction: 'desc' as const },
      { property: 'id', direction: 'asc' as const },
    ]
    expect(request({ order }).json).toMatchObject({
      orderBy: {
        fields: [
          { field: 'name', direction: 'desc' },
          { field: 'id', direction: 'asc' },
        ],
      },
    })
  })
})
