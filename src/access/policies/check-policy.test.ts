import { describe, expect, it } from 'vitest'
import { failure, LIMITS, TRAVEL, unprocessable } from '../../../test/support/parsed-queries.ts'
import { Catalogue } from '../../ontology/catalogue.ts'
import { checkPolicy } from './check-policy.ts'
import type { Right } from './policy.ts'

const context = { catalogue: new Catalogue(1, [TRAVEL]), limits: LIMITS, claims: ['name'] }
const check = (...rights: Right[]) => checkPolicy({ rights }, context)
const read = (more: Partial<Right> = {}): Right => ({
  ontology: 'travel',
  objectType: 'airport',
  access: 'read',
  ...more,
})
const administer = read({ objectType: '*', access: 'administer' })
const eq = (value: unknown) => ({ type: 'eq', field: 'name', value })
const recent = {
  type: 'relativeDateRange',
  field: 'opened',
  relativeStartTime: { type: 'relativePoint', value: -1, timeUnit: 'DAY' },
  timeZoneId: 'UTC',
}
const relative = unprocessable(
  'rights[0].where',
  'has a relative date, which would change during a walk',
)

describe('a policy', () => {
  it.each<[string, Right[]]>([
    ['no right', []],
    ['reading a type', [read()]],
    ['writing a type', [read({ access: 'write' })]],
    ['reading all types', [read({ objectType: '*' })]],
    ['administering', [administer]],
    ['an ontology by its RID', [read({ ontology: TRAVEL.rid })]],
    ['a rule and hidden properties', [read({ where: eq('$caller.name'), hide: ['name', 'tags'] })]],
    ['several rights', [read({ where: eq('x') }), read({ objectType: '*', access: 'write' })]],
  ])('with %s fits', (_, rights) => {
    expect(() => check(...rights)).not.toThrow()
  })

  it.each<[string, Right, unknown]>([
    [
      'an unknown ontology',
      read({ ontology: 'none' }),
      unprocessable('rights[0].ontology', 'there is no ontology none'),
    ],
    [
      'an unknown type',
      read({ objectType: 'none' }),
      unprocessable('rights[0].objectType', 'the ontology travel has no object type none'),
    ],
    [
      'administering a type',
      read({ access: 'administer' }),
      unprocessable('rights[0].objectType', 'must be *: a definition is administered as a whole'),
    ],
    [
      'a rule for writing',
      read({ access: 'write', where: eq('x') }),
      unprocessable('rights[0].where', 'is only allowed with the access read, not write'),
    ],
    [
      'hidden properties for administering',
      { ...administer, hide: ['name'] },
      unprocessable('rights[0].hide', 'is only allowed with the access read, not administer'),
    ],
    [
      'a rule for all types',
      read({ objectType: '*', where: eq('x') }),
      unprocessable('rights[0].where', 'needs an object type; name it in objectType'),
    ],
    [
      'an unknown hidden property',
      read({ hide: ['name', 'none'] }),
      unprocessable('rights[0].hide[1]', 'the object type airport has no property none'),
    ],
    [
      'a hidden primary key',
      read({ hide: ['id'] }),
      unprocessable('rights[0].hide[0]', 'is the primary key, which cannot be hidden'),
    ],
    [
      'a rule that matches everything',
      read({ where: { type: 'in', field: 'name', value: [] } }),
      unprocessable('rights[0].where', 'matches every object; omit it'),
    ],
    [
      'an invalid rule',
      read({ where: { type: 'eq', field: 'none', value: 1 } }),
      failure('PropertiesNotFound', { objectType: 'airport', properties: ['none'] }),
    ],
    [
      'an unknown claim',
      read({ where: eq('$caller.none') }),
      unprocessable('rights[0].where.value', 'uses the unknown claim none; known claims: name'),
    ],
    ['a relative date', read({ where: recent }), relative],
    ['a negated relative date', read({ where: { type: 'not', value: recent } }), relative],
    [
      'a relative date among other conditions',
      read({ where: { type: 'or', value: [eq('x'), { type: 'and', value: [recent] }] } }),
      relative,
    ],
  ])('with %s does not fit', (_, right, refusal) => {
    expect(() => check(right)).toThrow(refusal)
  })

  it('names the first right that does not fit', () => {
    expect(() => check(read(), read({ ontology: 'none' }), read({ ontology: 'nil' }))).toThrow(
      unprocessable('rights[1].ontology', 'there is no ontology none'),
    )
  })

  it('with the right to administer an ontology has no other for it', () => {
    expect(() => check(read({ ontology: TRAVEL.rid }), administer)).toThrow(
      unprocessable(
        'rights[0]',
        `has no effect: the policy also allows administering ${TRAVEL.rid}`,
      ),
    )
    expect(() => check(administer, administer)).not.toThrow()
  })
})
