import { describe, expect, it } from 'vitest'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { Claims, Policy, Right } from './policy.ts'
import { addUp } from './policy-rights.ts'

const LIMITS = { maxDepth: 10, maxTerms: 100, maxTextLength: 1000 }

function staff(salary: string) {
  return parseDefinition({
    apiName: 'staff',
    rid: 'ri.ontology.main.ontology.staff',
    objectTypes: [
      {
        apiName: 'person',
        rid: 'ri.ontology.main.object-type.person',
        primaryKey: 'id',
        properties: {
          id: { type: 'string' },
          owner: { type: 'string' },
          public: { type: 'boolean' },
          phone: { type: 'string' },
          [salary]: { type: 'integer' },
        },
      },
    ],
  })
}

type Rule = Pick<Right, 'where' | 'hide'>

function policyOf(...rules: readonly Rule[]): Policy {
  const right = { ontology: 'staff', objectType: 'person', access: 'read' } as const
  return { name: 'staff', rights: rules.map((rule) => ({ ...right, ...rule })) }
}

function seen(policies: readonly Policy[], claims: Claims = {}, salary = 'salary') {
  const rights = addUp(policies, staff(salary), { claims, limits: LIMITS })?.types.get('person')
  return rights && { rows: rights.rows.kind, hidden: [...rights.hidden] }
}

const OWN = { where: { type: 'eq', field: 'owner', value: '$caller.email' } }
const PUBLIC = { where: { type: 'eq', field: 'public', value: true } }
const ADA = { email: 'ada@example.org' }

describe('what policies allow together', () => {
  it('is nothing once one of them does not fit, even if others do', () => {
    const policies = [policyOf({ ...OWN, hide: ['phone', 'salary'] }), policyOf(PUBLIC)]
    expect(seen(policies, ADA)).toEqual({ rows: 'or', hidden: ['phone', 'salary'] })
    expect(seen(policies, ADA, 'pay')).toBeUndefined()
  })

  it('is nothing if a rule does not fit, also for a caller without its claims', () => {
    const policies = [
      policyOf({ where: { type: 'eq', field: 'salary', value: '$caller.email' } }, PUBLIC),
    ]
    expect([seen(policies, ADA), seen(policies)]).toEqual([undefined, undefined])
  })

  it.for<[string, readonly Policy[]]>([
    ['one policy', [policyOf({ ...OWN, hide: ['salary'] }, PUBLIC)]],
    ['several policies', [policyOf({ ...OWN, hide: ['salary'] }), policyOf(PUBLIC)]],
  ])('hides in %s what a right hides that needs a claim of another caller', ([, policies]) => {
    expect(seen(policies, ADA)).toEqual({ rows: 'or', hidden: ['salary'] })
    expect(seen(policies)).toEqual({ rows: 'compare', hidden: ['salary'] })
  })

  it('is nothing if a caller lacks the claims of all rights', () => {
    const own = policyOf({ ...OWN, hide: ['salary'] })
    expect([seen([own]), seen([own, own])]).toEqual([undefined, undefined])
  })

  it('is everything if one right shows everything, whatever others hide', () => {
    expect(seen([policyOf({ ...OWN, hide: ['salary'] }), policyOf({})])).toEqual({
      rows: 'everything',
      hidden: [],
    })
  })
})
