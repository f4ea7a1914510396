import { describe, expect, it } from 'vitest'
import type { ObjectType } from '../../ontology/ontology.ts'
import { parseQuery, type QueryGrammar } from './parse-query.ts'
import { REVISION_1_QUERIES } from './revision-1-query-language.ts'
import { REVISION_2_QUERIES } from './revision-2-query-language.ts'

const objectType: ObjectType = {
  apiName: 'airport',
  rid: 'ri.ontology.main.object-type.0',
  primaryKey: { apiName: 'id', type: 'string' },
  titleProperty: undefined,
  retrievalLimit: undefined,
  access: 'all',
  properties: new Map([['id', { apiName: 'id', type: { kind: 'scalar', type: 'string' } }]]),
}
const limits = { maxDepth: 3, maxTerms: 100, maxTextLength: 100 }

const unprocessable = (parameter: string, reason: string) =>
  expect.objectContaining({
    errorName: 'Conjure:UnprocessableEntity',
    parameters: { parameter, reason },
  })

describe.each([
  ['revision 1.0', REVISION_1_QUERIES, 'properties.id'],
  ['revision 2.0', REVISION_2_QUERIES, 'id'],
] as const)('a query of %s', (_, grammar: QueryGrammar, field) => {
  const read = (query: unknown) => () => parseQuery(grammar, query, { objectType, limits })

  it.each([...grammar.types])('of type %s names the allowed members', (type, { members }) => {
    expect(read({ type, feild: field })).toThrow(
      unprocessable(
        'query.feild',
        `a query of type ${type} has no such member; allowed members: ${['type', ...members].join(', ')}`,
      ),
    )
  })

  it('names the path of an unknown member of a nested query', () => {
    const query = { type: 'not', value: { type: 'eq', field, value: 'LAX', vlaue: 'JFK' } }
    expect(read(query)).toThrow(
      unprocessable(
        'query.value.vlaue',
        'a query of type eq has no such member; allowed members: type, field, value',
      ),
    )
  })

  it('names the allowed types if its type is unknown', () => {
    expect(read({ type: 'equals', field, value: 'LAX' })).toThrow(
      expect.objectContaining({
        errorName: 'Default:InvalidArgument',
        parameters: {
          parameter: 'query.type',
          value: 'equals',
          reason: `is not a query type; allowed types: ${[...grammar.types.keys()].join(', ')}`,
        },
      }),
    )
  })
})

it('a position in a polygon names the allowed members', () => {
  const position = { longitude: 0, latitude: 0 }
  const polygon = [position, { ...position, altitude: 3 }, position, position]
  expect(() =>
    parseQuery(REVISION_2_QUERIES, { type: 'geoPointWithin', polygon }, { objectType, limits }),
  ).toThrow(
    unprocessable(
      'query.polygon[1].altitude',
      'a position has no such member; allowed members: longitude, latitude',
    ),
  )
})
