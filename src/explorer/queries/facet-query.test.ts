import { expect, it } from 'vitest'
import { differsInEachRow, facetProperties, isUseful } from './facet-query.ts'

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

it('knows from the first rows which values differ in each object', () => {
  const rows = (count: number, noteOf: (row: number) => unknown) =>
    Array.from({ length: count }, (_, key) => ({
      key,
      title: undefined,
      properties: { note: noteOf(key) },
    }))
  expect(differsInEachRow(rows(100, String), 'note')).toBe(true)
  expect(differsInEachRow(rows(99, String), 'note')).toBe(false)
  expect(
    differsInEachRow(
      rows(100, (row) => String(row % 99)),
      'note',
    ),
  ).toBe(false)
  expect(
    differsInEachRow(
      rows(1000, (row) => (row < 50 ? String(row) : null)),
      'note',
    ),
  ).toBe(false)
  expect(
    differsInEachRow(
      rows(100, (row) => [row, 'same']),
      'note',
    ),
  ).toBe(false)
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
