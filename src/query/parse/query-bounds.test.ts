import { describe, expect, it } from 'vitest'
import type { PropertyType } from '../../ontology/definition/property-type.ts'
import type { ObjectType, Property } from '../../ontology/ontology.ts'
import type { Query } from '../query.ts'
import { parsePropertyFilters } from './property-filters.ts'
import { QueryBudget } from './query-budget.ts'
import { refuseInvertedRanges } from './refuse-inverted-ranges.ts'
import { REVISION_1_FIELDS } from './revision-1-query-language.ts'

const LIMITS = { maxDepth: 3, maxTerms: 500, maxTextLength: 100 }

/** Counts the lookups of properties. */
class CountedProperties extends Map<string, Property> {
  lookups = 0

  override get(name: string) {
    this.lookups += 1
    return super.get(name)
  }

  override has(name: string) {
    this.lookups += 1
    return super.has(name)
  }

  override *keys() {
    for (const name of super.keys()) {
      this.lookups += 1
      yield name
    }
    return undefined
  }
}

function countedType(names: readonly string[]) {
  const properties = new CountedProperties(
    names.map((apiName) => [apiName, { apiName, type: { kind: 'scalar', type: 'integer' } }]),
  )
  const objectType: ObjectType = {
    apiName: 'wide',
    rid: 'ri.ontology.main.object-type.0',
    primaryKey: { apiName: 'p0', type: 'integer' },
    titleProperty: undefined,
    retrievalLimit: undefined,
    access: 'all',
    properties,
  }
  return { objectType, properties }
}

const NAMES = Array.from({ length: 1000 }, (_, index) => `p${index}`)

describe('too many filters', () => {
  it('are refused before any lookup', () => {
    const { objectType, properties } = countedType(NAMES)
    const filters = Array.from({ length: 501 }, (_, n) => ['p.nowhere.nope', String(n)] as const)
    expect(() => parsePropertyFilters(filters, objectType, new QueryBudget(LIMITS))).toThrow(
      expect.objectContaining({ errorName: 'QueryTermsExceededLimit' }),
    )
    expect(properties.lookups).toBe(0)
  })
})

describe('filters in another case', () => {
  it('are found without a scan of all properties per filter', () => {
    const { objectType, properties } = countedType(NAMES)
    const filters = NAMES.slice(0, 500).map((name) => [`p.${name.toUpperCase()}.eq`, '1'] as const)
    const query = parsePropertyFilters(filters, objectType, new QueryBudget(LIMITS))
    expect(query).toMatchObject({ kind: 'and', of: { length: 500 } })
    expect(properties.lookups).toBeGreaterThan(0)
    expect(properties.lookups).toBeLessThan(5 * NAMES.length)
  })

  it('are refused if two properties match', () => {
    const { objectType } = countedType(['p0', 'name', 'NAME', 'Title'])
    const parse = (name: string) =>
      parsePropertyFilters([[name, '1']], objectType, new QueryBudget(LIMITS))
    expect(() => parse('p.Name.eq')).toThrow(
      expect.objectContaining({ errorName: 'PropertiesNotFound' }),
    )
    expect(parse('p.TITLE.eq')).toMatchObject({ field: { property: 'Title' } })
  })
})

describe('inverted bounds', () => {
  it('are detected with one look at each bound', () => {
    const { objectType } = countedType(NAMES)
    let values = 0
    const bounds = Array.from({ length: 1000 }, (_, index) => ({
      kind: 'compare',
      field: { property: 'p1', structField: undefined },
      operator: index % 2 === 0 ? 'gte' : 'lt',
      get value() {
        values += 1
        return index % 2 === 0 ? index : 2000 + index
      },
    })) as readonly Query[]
    refuseInvertedRanges(bounds, objectType)
    expect(values).toBe(1000)
    const one: Query = {
      kind: 'compare',
      field: { property: 'p1', structField: undefined },
      operator: 'lte',
      value: 997,
    }
    expect(() => refuseInvertedRanges([...bounds, one], objectType)).toThrow(
      expect.objectContaining({ errorName: 'InvalidRangeQuery', parameters: { field: 'p1' } }),
    )
  })
})

describe('a field of revision 1.0', () => {
  const string: PropertyType = { kind: 'scalar', type: 'string' }
  const struct = (...names: string[]): PropertyType => ({
    kind: 'struct',
    fields: new Map(names.map((name) => [name, string])),
  })
  const typeWith = (...properties: [string, PropertyType][]): ObjectType => ({
    ...countedType([]).objectType,
    properties: new Map(properties.map(([apiName, type]) => [apiName, { apiName, type }])),
  })

  it('is split at each period, the longest property first', () => {
    const all: [string, PropertyType][] = [
      ['a.b.c', string],
      ['a.b', struct('c')],
      ['a', struct('b.c')],
    ]
    const find = (from: number) =>
      REVISION_1_FIELDS.find('properties.a.b.c', typeWith(...all.slice(from)))
    expect(find(0)).toEqual({ property: 'a.b.c', structField: undefined })
    expect(find(1)).toEqual({ property: 'a.b', structField: 'c' })
    expect(find(2)).toEqual({ property: 'a', structField: 'b.c' })
    expect(find(3)).toBeUndefined()
    expect(REVISION_1_FIELDS.find('properties..b', typeWith(...all))).toBeUndefined()
  })
})
