import { describe, expect, it } from 'vitest'
import { AIRPORT, failure, fieldOf, LIMITS } from '../../../test/support/parsed-queries.ts'
import { EVERYTHING, type Query } from '../query.ts'
import { FILTER, parsePropertyFilters, type QueryString } from './property-filters.ts'
import { QueryBudget } from './query-budget.ts'

const parse = (...filters: QueryString) =>
  parsePropertyFilters(filters, AIRPORT, new QueryBudget(LIMITS))
const eq = (property: string, value: string | number, structField?: string): Query => ({
  kind: 'compare',
  field: fieldOf(property, structField),
  operator: 'eq',
  value,
})
const not = (of: Query): Query => ({ kind: 'not', of })

it('a parameter is a filter if it starts with the prefix', () => {
  const names = ['properties.name.eq', 'p.name.eq', 'p.', 'p', 'xp.name.eq', 'pageSize']
  expect(names.filter((name) => FILTER.test(name))).toEqual([
    'properties.name.eq',
    'p.name.eq',
    'p.',
  ])
})

describe('filters', () => {
  it.each<[QueryString, Query]>([
    [[], EVERYTHING],
    [[['p.name.eq', 'a']], eq('name', 'a')],
    [[['properties.NAME.eq', 'a']], eq('name', 'a')],
    [[['p.address.city.eq', 'Bern']], eq('address', 'Bern', 'city')],
    [[['p.name.neq', 'a']], not(eq('name', 'a'))],
    [[['p.tags.contains', 'a']], eq('tags', 'a')],
    [[['p.runways.gte', '2']], { ...eq('runways', 2), operator: 'gte' } as Query],
    [[['p.tags.isNull', 'true']], { kind: 'isNull', property: 'tags' }],
    [
      [['p.address.city.isNull', 'false']],
      not({ kind: 'isNull', property: 'address', structField: 'city' }),
    ],
    [
      [
        ['p.name.eq', 'b'],
        ['properties.Name.eq', 'a'],
      ],
      { kind: 'or', of: [eq('name', 'a'), eq('name', 'b')] },
    ],
    [
      [
        ['p.name.neq', 'a'],
        ['p.name.neq', 'b'],
      ],
      not({ kind: 'or', of: [eq('name', 'a'), eq('name', 'b')] }),
    ],
    [
      [
        ['p.runways.eq', '1'],
        ['p.name.eq', 'a'],
      ],
      { kind: 'and', of: [eq('name', 'a'), eq('runways', 1)] },
    ],
  ])('%j are parsed', (filters, query) => {
    expect(parse(...filters)).toEqual(query)
  })

  const malformed = (written: string) =>
    failure('MalformedPropertyFilters', { malformedPropertyFilter: written })
  const invalid = (
    property: string,
    propertyFilter: string,
    propertyFilterValue: string,
    expectedType: string,
  ) =>
    failure('InvalidPropertyFilterValue', {
      property,
      propertyFilter,
      propertyFilterValue,
      expectedType,
    })
  const unsupported = (property: string, filter: string) =>
    failure('PropertyFiltersNotSupported', { propertyFilters: [filter], property })

  it.each([
    ['p.name', 'a', malformed('p.name')],
    ['p..eq', 'a', malformed('p..eq')],
    ['p.eq', 'a', malformed('p.eq')],
    ['p.name.equals', 'a', malformed('p.name.equals')],
    [
      'p.nme.eq',
      'a',
      failure('PropertiesNotFound', { objectType: 'airport', properties: ['nme'] }),
    ],
    ['p.runways.eq', 'x', invalid('runways', 'eq', 'x', 'integer')],
    ['p.runways.lt', '1.5', invalid('runways', 'lt', '1.5', 'integer')],
    ['p.name.isNull', 'yes', invalid('name', 'isNull', 'yes', 'boolean')],
    ['p.name.lt', 'a', unsupported('name', 'lt')],
    ['p.isOpen.gt', 'true', unsupported('isOpen', 'gt')],
    ['p.name.contains', 'a', unsupported('name', 'contains')],
    ['p.tags.eq', 'a', unsupported('tags', 'eq')],
    ['p.gates.contains', 'a', unsupported('gates', 'contains')],
    ['p.location.neq', 'a', unsupported('location', 'neq')],
    ['p.address.eq', 'a', unsupported('address', 'eq')],
    ['p.holidays.lte', '2020-01-01', unsupported('holidays', 'lte')],
    [
      'p.address.city.eq',
      'x'.repeat(101),
      failure('QueryTextExceededLimit', { field: 'p.address.city.eq', lengthLimit: 100 }),
    ],
  ])('%s=%s is refused', (name, value, refusal) => {
    expect(() => parse([name, value])).toThrow(refusal)
  })

  it.each(['lt', 'lte', 'gt', 'gte', 'isNull'])('of %s have one value', (operator) => {
    const filter = [`p.runways.${operator}`, 'true'] as const
    expect(() => parse(filter, filter)).toThrow(
      failure('MultiplePropertyValuesNotSupported', {
        propertyFilter: operator,
        property: 'runways',
      }),
    )
  })

  it('form no inverted range', () => {
    expect(() => parse(['p.runways.gt', '3'], ['p.runways.lt', '2'])).toThrow(
      failure('InvalidRangeQuery', { field: 'runways' }),
    )
  })

  it('are counted', () => {
    const filters = (count: number): QueryString =>
      Array.from({ length: count }, (_, index) => ['p.runways.eq', String(index)])
    expect(parse(...filters(100))).toMatchObject({ of: { length: 100 } })
    expect(() => parse(...filters(101))).toThrow(
      failure('QueryTermsExceededLimit', { termsLimit: 100 }),
    )
  })
})
