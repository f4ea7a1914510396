import { describe, expect, it } from 'vitest'
import type { ObjectType } from '../ontology/ontology.ts'
import { parseDefinition } from '../ontology/parse-definition.ts'
import { parseSearchQuery } from './parse-search-query.ts'

const airport = parseDefinition({
  apiName: 'aviation',
  objectTypes: [{ apiName: 'airport', primaryKey: 'id', properties: { id: { type: 'string' } } }],
}).objectTypes.get('airport') as ObjectType

describe('the query of a search', () => {
  it('[4.3.2] of type empty asks for every object', () => {
    expect(parseSearchQuery({ type: 'empty' }, airport)).toEqual({ kind: 'everything' })
  })

  it.each(['Empty', 'EMPTY', ' empty', 'emptyy', '', 'match', '__proto__', 'constructor', 'get'])(
    'has no type %j',
    (type) => {
      expect(() => parseSearchQuery({ type }, airport)).toThrow(
        expect.objectContaining({
          errorName: 'Default:InvalidArgument',
          parameters: expect.objectContaining({
            parameter: 'query.type',
            reason: expect.stringMatching(/^there is no such query type; there are: .*\bempty\b/),
          }),
        }),
      )
    },
  )

  it.each(['value', 'field', 'Type', '', '__proto__', 'constructor', 'toString'])(
    'of type empty has no member %j, not even null',
    (member) => {
      const query = JSON.parse(`{"type":"empty",${JSON.stringify(member)}:null}`)
      expect(() => parseSearchQuery(query, airport)).toThrow(
        expect.objectContaining({
          errorName: 'Conjure:UnprocessableEntity',
          parameters: {
            parameter: `query.${member}`,
            reason: 'a query of type empty has no such member',
          },
        }),
      )
    },
  )

  it('is refused with the path that it was found under', () => {
    expect(() => parseSearchQuery({ type: 'x' }, airport, 'query.value[2]')).toThrow(
      expect.objectContaining({
        parameters: expect.objectContaining({ parameter: 'query.value[2].type' }),
      }),
    )
    expect(() => parseSearchQuery({ type: 'empty', a: 1 }, airport, 'query.value')).toThrow(
      expect.objectContaining({
        parameters: expect.objectContaining({ parameter: 'query.value.a' }),
      }),
    )
  })
})
