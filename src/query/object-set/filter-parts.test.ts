import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { QUERY_MAX_VALUES } from '../../contract/limits.ts'
import { Catalogue } from '../../ontology/catalogue.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import { parseObjectSet } from './parse-object-set.ts'

const TYPES = 5
const objectTypes = Array.from({ length: TYPES }, (_, n) => ({
  apiName: `type${n}`,
  primaryKey: 'id',
  properties: { id: { type: 'string' as const } },
}))
const { ontology } = planChange(
  'o',
  { apiName: 'o', objectTypes },
  new Catalogue(0, []),
  randomUUID,
)
const limits = { maxDepth: 3, maxTerms: 500, maxTextLength: 100 }

/** Filters all types by a list of values. */
function parse(values: number) {
  const objectSets = objectTypes.map(({ apiName }) => ({ type: 'base', objectType: apiName }))
  const value = Array.from({ length: values }, (_, n) => `k${n}`)
  const where = { type: 'in', field: 'id', value }
  const set = { type: 'filter', objectSet: { type: 'union', objectSets }, where }
  return parseObjectSet(set, { ontology, limits, storedSet: () => undefined })
}

it('counts the values of a filter once for each object type', () => {
  expect(parse(QUERY_MAX_VALUES / TYPES)).toHaveLength(TYPES)
  expect(() => parse(QUERY_MAX_VALUES / TYPES + 1)).toThrow(
    expect.objectContaining({
      errorName: 'QueryTermsExceededLimit',
      parameters: expect.objectContaining({ termsLimit: QUERY_MAX_VALUES }),
    }),
  )
})
