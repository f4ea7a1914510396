import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { constraintChecker, scalarChecker } from './check-constraints.ts'
import type { PropertyType, ScalarType } from './definition/property-type.ts'
import type { Constraint, ScalarConstraint } from './rules.ts'
import { scalarCodec } from './values/scalar-codec.ts'

function check(type: ScalarType, constraint: ScalarConstraint, value: unknown) {
  return scalarChecker(type, [constraint])?.(scalarCodec(type).parse(value))?.reason
}

describe('a constraint of a scalar', () => {
  it.each<[ScalarType, ScalarConstraint, accepted: unknown[], refused: unknown[]]>([
    ['string', { type: 'enum', options: ['a', ''] }, ['a', ''], ['b', 'A', ' a']],
    ['integer', { type: 'enum', options: [1, 2] }, [1, 2], [3]],
    ['boolean', { type: 'enum', options: [true] }, [true], [false]],
    ['decimal', { type: 'enum', options: ['1.50'] }, ['1.5', '01.50'], ['1.51']],
    [
      'long',
      { type: 'range', minimumValue: '9007199254740993' },
      ['9007199254740993'],
      ['9007199254740992'],
    ],
    ['integer', { type: 'range', minimumValue: 0, maximumValue: 100 }, [0, 100], [-1, 101]],
    [
      'double',
      { type: 'range', maximumValue: 0.5 },
      [0.5, -1e300, '-Infinity'],
      [0.6, 'Infinity', 'NaN'],
    ],
    [
      'decimal',
      { type: 'range', minimumValue: '-1.5', maximumValue: '10' },
      ['-1.50', '9.99', '10'],
      ['-1.51', '10.01'],
    ],
    [
      'date',
      { type: 'range', minimumValue: '2020-01-01' },
      ['2020-01-01', '9999-12-31'],
      ['2019-12-31'],
    ],
    [
      'timestamp',
      { type: 'range', maximumValue: '2020-01-01T00:00:00Z' },
      ['2020-01-01T01:00:00+01:00'],
      ['2020-01-01T00:00:00.000001Z'],
    ],
    [
      'string',
      { type: 'length', minimumLength: 2, maximumLength: 3 },
      ['ab', 'abc', '😀😀😀'],
      ['a', '😀', 'abcd', '😀😀😀😀'],
    ],
    ['string', { type: 'regex', pattern: 'a+b' }, ['ab', 'aab'], ['b', 'xab', 'abx']],
    ['string', { type: 'regex', pattern: 'a+b', partialMatch: true }, ['xaby'], ['xby']],
    ['string', { type: 'uuid' }, ['0F1f5c0e-7b1a-4c57-9a53-2f0a4c1d2b3e'], ['0f1f5c0e', '']],
    [
      'string',
      { type: 'rid' },
      ['ri.ontology.main.object-type.1', 'ri.a..b.c'],
      ['ri.ontology', 'x.a.b.c.d'],
    ],
  ])('%s %j', (type, constraint, accepted, refused) => {
    for (const value of accepted)
      expect([value, check(type, constraint, value)]).toEqual([value, undefined])
    for (const value of refused)
      expect([value, check(type, constraint, value)]).toEqual([value, expect.any(String)])
  })

  it('counts characters as code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(5), fc.nat(5), (text, minimum, more) => {
        const constraint = {
          type: 'length',
          minimumLength: minimum,
          maximumLength: minimum + more,
        } as const
        const length = [...text].length
        const isAllowed = length >= minimum && length <= minimum + more
        expect(scalarChecker('string', [constraint])?.(text) === undefined).toBe(isAllowed)
      }),
    )
  })

  it('matches a pattern in time linear in the length of the text', () => {
    const text = `${'a'.repeat(50_000)}!`
    expect(check('string', { type: 'regex', pattern: '(a+)+' }, text)).toMatch(/does not match/)
  })

  it('never tells the value', () => {
    const all: readonly ScalarConstraint[] = [
      { type: 'enum', options: ['a'] },
      { type: 'length', maximumLength: 1 },
      { type: 'regex', pattern: 'a' },
      { type: 'uuid' },
      { type: 'rid' },
    ]
    for (const constraint of all) {
      expect(check('string', constraint, 'secret')).not.toContain('secret')
    }
  })
})

const STRING = { kind: 'scalar', type: 'string' } as const
const ADDRESS: PropertyType = { kind: 'struct', fields: new Map([['zip', STRING]]) }
const ZIP: Constraint = {
  type: 'struct',
  fields: new Map([['zip', [{ type: 'length', maximumLength: 4 }]]]),
}

describe('a constraint of a collection', () => {
  const tags = (constraint: Omit<Constraint & { type: 'array' }, 'type'>, value: unknown) =>
    constraintChecker({ kind: 'array', items: STRING }, [{ type: 'array', ...constraint }])(value)

  it('limits the number of elements', () => {
    expect(tags({ minimumSize: 1, maximumSize: 2 }, ['a', 'b'])).toBeUndefined()
    expect(tags({ minimumSize: 1 }, [])).toMatchObject({ constraint: 'array', path: '' })
    expect(tags({ maximumSize: 1 }, ['a', 'b'])).toMatchObject({ constraint: 'array', path: '' })
  })

  it('names the element that repeats another, or violates a constraint', () => {
    expect(tags({ uniqueValues: true }, ['a', 'b', 'a'])).toMatchObject({ path: '[2]' })
    const valueConstraint = { type: 'length', maximumLength: 1 } as const
    expect(tags({ valueConstraint }, ['a', 'bb'])).toMatchObject({
      constraint: 'length',
      path: '[1]',
    })
  })

  it('checks the fields of structs, alone and in arrays', () => {
    expect(constraintChecker(ADDRESS, [ZIP])({ zip: '8001' })).toBeUndefined()
    expect(constraintChecker(ADDRESS, [ZIP])({})).toBeUndefined()
    expect(constraintChecker(ADDRESS, [ZIP])({ zip: '80011' })).toMatchObject({ path: '.zip' })
    const items = constraintChecker({ kind: 'array', items: ADDRESS }, [
      { type: 'array', valueConstraint: ZIP },
    ])
    expect(items([{}, { zip: '80011' }])).toMatchObject({ constraint: 'length', path: '[1].zip' })
  })
})
