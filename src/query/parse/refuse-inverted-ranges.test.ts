import { describe, expect, it } from 'vitest'
import { AIRPORT, failure } from '../../../test/support/parsed-queries.ts'
import type { ComparedValue, Comparison, Query } from '../query.ts'
import { refuseInvertedRanges } from './refuse-inverted-ranges.ts'

type Bound = readonly [
  operator: Comparison,
  value: ComparedValue,
  property?: string,
  structField?: string,
]

const compare = ([operator, value, property = 'runways', structField]: Bound): Query => ({
  kind: 'compare',
  field: { property, structField },
  operator,
  value,
})
const check = (bounds: readonly Bound[]) => refuseInvertedRanges(bounds.map(compare), AIRPORT)

describe('bounds', () => {
  it.each<[readonly Bound[]]>([
    [
      [
        ['gt', 3],
        ['lt', 2],
      ],
    ],
    [
      [
        ['lte', 2],
        ['gte', 3],
      ],
    ],
    [
      [
        ['gte', 1],
        ['gte', 3],
        ['gte', 2],
        ['lt', 2],
      ],
    ],
    [
      [
        ['lt', 4],
        ['lt', 2],
        ['lte', 3],
        ['gt', 3],
      ],
    ],
    [
      [
        ['gt', { long: '10' }],
        ['lt', { long: '9' }],
      ],
    ],
    [
      [
        ['gt', 'b'],
        ['lt', 'a'],
      ],
    ],
    // By code point, the order of the databases: UTF-16 would put the surrogates first.
    [
      [
        ['gt', '\u{10000}'],
        ['lt', '\uffff'],
      ],
    ],
    // NaN is a text, after every number.
    [
      [
        ['gt', 'NaN'],
        ['lt', 3],
      ],
    ],
  ])('%j are inverted', (bounds) => {
    expect(() => check(bounds)).toThrow(failure('InvalidRangeQuery', { field: 'runways' }))
  })

  it.each<[readonly Bound[]]>([
    [
      [
        ['gte', 2],
        ['lte', 2],
      ],
    ],
    [
      [
        ['gt', 2],
        ['lt', 3],
      ],
    ],
    [
      [
        ['gt', 3],
        ['eq', 2],
      ],
    ],
    [[['gt', 3]]],
    [
      [
        ['gt', 'a'],
        ['lt', 'a'],
      ],
    ],
    [
      [
        ['gt', 3],
        ['lt', 'NaN'],
      ],
    ],
    [
      [
        ['gt', 3],
        ['lt', 2, 'height'],
      ],
    ],
    [
      [
        ['gt', 'b', 'tags'],
        ['lt', 'a', 'tags'],
      ],
    ],
    [
      [
        ['gt', 3, 'address', 'floors'],
        ['lt', 2, 'address', 'floors'],
      ],
    ],
    [
      [
        ['gt', 3, 'unknown'],
        ['lt', 2, 'unknown'],
      ],
    ],
  ])('%j are not inverted', (bounds) => {
    expect(() => check(bounds)).not.toThrow()
  })

  it('of other conditions do not matter', () => {
    const negated: Query = { kind: 'not', of: compare(['gt', 3]) }
    expect(() => refuseInvertedRanges([negated, compare(['lt', 2])], AIRPORT)).not.toThrow()
  })
})
