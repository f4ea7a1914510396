import { describe, expect, it } from 'vitest'
import { and, not, or } from '../types/where.ts'
import {
  type Conditions,
  compileFilters,
  compileWhere,
  FAMILY_SYNTAX,
  OBJECT_SET_SYNTAX,
  SEARCH_SYNTAX,
} from './compile-where.ts'

const search = (...conditions: Conditions[]) => compileWhere(conditions, SEARCH_SYNTAX)

describe('conditions', () => {
  it('compile to one query', () => {
    expect(search({ a: 'x' })).toEqual({ type: 'eq', field: 'properties.a', value: 'x' })
    expect(search({ a: { gt: 1, lte: 5 } })).toEqual({
      type: 'and',
      value: [
        { type: 'gt', field: 'properties.a', value: 1 },
        { type: 'lte', field: 'properties.a', value: 5 },
      ],
    })
    expect(search()).toBeUndefined()
    expect(search({})).toBeUndefined()
  })

  it('need no depth for nested ands', () => {
    const both = and({ a: 1 }, and({ b: 2 }, { c: 3 })) as Conditions
    expect(search(both, { d: 4 })).toMatchObject({
      type: 'and',
      value: [{ value: 1 }, { value: 2 }, { value: 3 }, { value: 4 }],
    })
  })

  it('combine with or and not', () => {
    const either = or({ a: 1 }, not({ b: { neq: 2 } })) as Conditions
    expect(search(either)).toEqual({
      type: 'or',
      value: [
        { type: 'eq', field: 'properties.a', value: 1 },
        {
          type: 'not',
          value: { type: 'not', value: { type: 'eq', field: 'properties.b', value: 2 } },
        },
      ],
    })
  })

  it('write struct fields, lists and terms as each endpoint does', () => {
    expect(search({ 's:f': { in: [1, 2] } })).toEqual({
      type: 'or',
      value: [
        { type: 'eq', field: 'properties.s.f', value: 1 },
        { type: 'eq', field: 'properties.s.f', value: 2 },
      ],
    })
    expect(search({ t: { anyTerm: { value: 'x y', fuzzy: true } } })).toEqual({
      type: 'anyTerm',
      field: 'properties.t',
      value: 'x y',
      fuzzy: true,
    })
    const family = compileWhere(
      [{ 's:f': 1, l: { contains: 2 }, $keyword: 'x', $within: [[1, 2]] }],
      FAMILY_SYNTAX,
    )
    expect(family).toEqual({
      type: 'and',
      value: [
        { type: 'eq', field: 's:f', value: 1 },
        { type: 'eq', field: 'l', value: 2 },
        { type: 'keyword', query: 'x' },
        { type: 'geoPointWithin', polygon: [{ longitude: 1, latitude: 2 }] },
      ],
    })
    const objectSet = compileWhere(
      [{ 's:f': 1, a: { in: [1] }, t: { phrase: 'x' }, d: { relativeDateRange: { x: 1 } } }],
      OBJECT_SET_SYNTAX,
    )
    expect(objectSet).toMatchObject({
      value: [
        {
          type: 'eq',
          propertyIdentifier: {
            type: 'structField',
            propertyApiName: 's',
            structFieldApiName: 'f',
          },
        },
        { type: 'in', field: 'a', value: [1] },
        { type: 'containsAllTermsInOrder', field: 't', value: 'x' },
        { type: 'relativeDateRange', field: 'd', x: 1 },
      ],
    })
  })

  it('without a value are refused, because they would match everything', () => {
    for (const value of [undefined, null, { eq: undefined }, { gt: null }, ['a']]) {
      expect(() => search({ a: value })).toThrow(TypeError)
      expect(() => compileFilters([{ a: value }])).toThrow(TypeError)
    }
  })

  it('compile to filters of a query string', () => {
    const at = new Date(0)
    expect(
      compileFilters([{ a: 'x', b: { in: [1, 2] }, c: { gte: at }, d: { isNull: true } }]),
    ).toEqual({
      'properties.a.eq': ['x'],
      'properties.b.eq': ['1', '2'],
      'properties.c.gte': [at.toISOString()],
      'properties.d.isNull': ['true'],
    })
    expect(() => compileFilters([{ a: 1 }, { a: 2 }])).toThrow(/twice/)
    expect(() => compileFilters([{ $or: [] }])).toThrow(/\$or/)
  })
})
