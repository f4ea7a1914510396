import { describe, expect, it } from 'vitest'
import { unprocessable } from '../../../test/support/parsed-queries.ts'
import { checkClaims, tryClaims } from './claims.ts'

const CLAIMS = { name: 'ada', email: undefined }
const eq = (value: unknown) => ({ type: 'eq', field: 'owner', value })

describe('the claims in a rule', () => {
  it.each([
    [eq('$caller.name'), eq('ada')],
    [eq('caller.name'), eq('caller.name')],
    [eq('x$caller.name'), eq('x$caller.name')],
    [eq(7), eq(7)],
    [
      { type: 'in', field: 'owner', value: ['$caller.name', 'bob'] },
      { type: 'in', field: 'owner', value: ['ada', 'bob'] },
    ],
    [
      { type: 'and', value: [eq('$caller.name'), { type: 'not', value: eq('$caller.name') }] },
      { type: 'and', value: [eq('ada'), { type: 'not', value: eq('ada') }] },
    ],
    [
      { type: 'interval', field: 'owner', rule: '$caller.name' },
      { type: 'interval', field: 'owner', rule: '$caller.name' },
    ],
    [
      { type: 'wildcard', value: 'x' },
      { type: 'wildcard', value: 'x' },
    ],
  ])('%j are replaced', (where, claimed) => {
    expect(tryClaims(where, CLAIMS)).toEqual(claimed)
  })

  it.each(['$caller.email', '$caller.none', '$caller.toString', '$caller.'])(
    'are missing if the caller does not have %s',
    (claim) => {
      expect(tryClaims(eq(claim), CLAIMS)).toBeUndefined()
      expect(tryClaims({ type: 'or', value: [eq('x'), eq(claim)] }, CLAIMS)).toBeUndefined()
    },
  )

  it('are compared for equality only', () => {
    const where = { type: 'not', value: { type: 'wildcard', value: '$caller.name' } }
    const refusal = (path: string) =>
      unprocessable(path, 'is a claim, which only eq and in can compare')
    expect(() => tryClaims(where, CLAIMS)).toThrow(refusal('where.value.value'))
    expect(() => checkClaims(where, ['name'], 'rule')).toThrow(refusal('rule.value.value'))
  })

  it('are known by name', () => {
    const where = { type: 'and', value: [eq('$caller.name'), eq('$caller.age')] }
    const refusal = unprocessable(
      'rule.value[1].value',
      'uses the unknown claim age; known claims: name, email',
    )
    expect(() => checkClaims(where, ['name', 'email'], 'rule')).toThrow(refusal)
    expect(() => checkClaims(where, ['name', 'age'], 'rule')).not.toThrow()
  })
})
