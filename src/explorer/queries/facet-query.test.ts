import { expect, it } from 'vitest'
import { facetProperties, isUseful } from './facet-query.ts'

it('finds a facet useful unless most objects have a value of their own', () => {
  const two = { value: 'b', count: 2 }
  const one = { value: 'a', count: 1 }
  expect(isUseful({ values: [two, two, one], others: 7 })).toBe(true)
  expect(isUseful({ values: [two, one, one], others: 7 })).toBe(false)
  expect(isUseful({ values: [two, one, one], others: 0 })).toBe(true)
  expect(isUseful({ values: [one, { value: 'b', count: 1 }], others: 7 })).toBe(false)
  expect(isUseful({ values: [one], others: 0 })).toBe(true)
  expect(isUseful({ values: [], others: 0 })).toBe(false)
})

it('puts links first, then booleans, and leaves out keys and titles', () => {
  const objectType = {
    apiName: 'item',
    rid: 'ri.item',
    primaryKey: 'code',
    titleProperty: 'name',
    properties: {
      code: { type: 'string' },
      name: { type: 'string' },
      note: { type: 'string' },
      isNew: { type: 'boolean' },
      makerCode: { type: 'string' },
      price: { type: 'double' },
    },
  } as const
  const linkTypes = [{ apiName: 'maker', from: 'item', to: 'maker', foreignKey: 'makerCode' }]
  const ontology = { apiName: 'shop', rid: 'ri.shop', objectTypes: [objectType], linkTypes }
  expect(facetProperties(ontology, objectType)).toEqual(['makerCode', 'isNew', 'note'])
})
