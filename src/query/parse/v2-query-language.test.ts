import { describe, expect, it } from 'vitest'
import type { ObjectType, Property } from '../../ontology/ontology.ts'
import { EVERYTHING } from '../query.ts'
import { parseQuery } from './parse-query.ts'
import { V2_QUERIES } from './v2-query-language.ts'

const scalar = (apiName: string, type: 'string' | 'integer'): [string, Property] => [
  apiName,
  { apiName, type: { kind: 'scalar', type } },
]

const objectType: ObjectType = {
  apiName: 'airport',
  rid: 'ri.ontology.main.object-type.0',
  primaryKey: { apiName: 'id', type: 'string' },
  titleProperty: 'name',
  retrievalLimit: undefined,
  access: 'all',
  properties: new Map([
    scalar('id', 'string'),
    scalar('name', 'string'),
    scalar('runways', 'integer'),
    [
      'address',
      {
        apiName: 'address',
        type: {
          kind: 'struct',
          fields: new Map([['city', { kind: 'scalar', type: 'string' as const }]]),
        },
      },
    ],
    [
      'tags',
      {
        apiName: 'tags',
        type: { kind: 'array', items: { kind: 'scalar', type: 'string' as const } },
      },
    ],
  ]),
}
const limits = { maxDepth: 3, maxTerms: 100, maxTextLength: 100 }

const read = (where: unknown, type = objectType) =>
  parseQuery(V2_QUERIES, where, { objectType: type, limits })
const failing = (where: unknown) => () => read(where)
const error = (errorName: string, parameters: object) =>
  expect.objectContaining({ errorName, parameters: expect.objectContaining(parameters) })

const equals = (property: string, value: string, structField?: string) => ({
  kind: 'compare',
  field: { property, structField },
  operator: 'eq',
  value,
})

describe('the property of a condition', () => {
  it.each([
    [{ field: 'name' }, equals('name', 'x')],
    [{ propertyIdentifier: { type: 'property', apiName: 'name' } }, equals('name', 'x')],
    [{ propertyIdentifier: { type: 'titleProperty' } }, equals('name', 'x')],
    [{ propertyIdentifier: { type: 'primaryKeyProperty' } }, equals('id', 'x')],
    [
      {
        propertyIdentifier: {
          type: 'structField',
          propertyApiName: 'address',
          structFieldApiName: 'city',
        },
      },
      equals('address', 'x', 'city'),
    ],
    [
      {
        field: null,
        propertyIdentifier: {
          type: 'propertyWithLoadLevel',
          propertyIdentifier: { type: 'property', apiName: 'name' },
          loadLevel: { type: 'noLoadLevel' },
        },
      },
      equals('name', 'x'),
    ],
  ])('is named by %j', (named, query) => {
    expect(read({ type: 'eq', ...named, value: 'x' })).toEqual(query)
  })

  it.each([
    [{}, error('Conjure:UnprocessableEntity', { parameter: 'where.field', reason: 'is missing' })],
    [
      { field: 7 },
      error('Conjure:UnprocessableEntity', { parameter: 'where.field', reason: 'is not a string' }),
    ],
    [
      { field: 'name', propertyIdentifier: { type: 'titleProperty' } },
      error('InvalidParameterCombination', {
        providedParameters: ['where.field', 'where.propertyIdentifier'],
        validCombinations: [['where.field'], ['where.propertyIdentifier']],
      }),
    ],
    [{ field: 'nme' }, error('PropertiesNotFound', { objectType: 'airport', properties: ['nme'] })],
    [{ field: 'address:city' }, error('PropertiesNotFound', { properties: ['address:city'] })],
    [
      {
        propertyIdentifier: {
          type: 'structField',
          propertyApiName: 'address',
          structFieldApiName: 'town',
        },
      },
      error('PropertiesNotFound', { properties: ['address:town'] }),
    ],
    [
      { propertyIdentifier: { type: 'properties', apiName: 'name' } },
      error('Default:InvalidArgument', {
        parameter: 'where.propertyIdentifier.type',
        value: 'properties',
        reason: `is not a type of property identifier; allowed types: property, structField, propertyWithLoadLevel, titleProperty, primaryKeyProperty`,
      }),
    ],
    [
      { propertyIdentifier: { type: 'property', name: 'name' } },
      error('Conjure:UnprocessableEntity', {
        parameter: 'where.propertyIdentifier.name',
        reason: 'a property identifier has no such member; allowed members: type, apiName',
      }),
    ],
    ...(['titleProperty', 'primaryKeyProperty'] as const).map(
      (type): [object, ReturnType<typeof error>] => [
        { propertyIdentifier: { type, apiName: 'name' } },
        error('Conjure:UnprocessableEntity', {
          parameter: 'where.propertyIdentifier.apiName',
          reason: `a ${type} identifier has no such member; allowed members: type`,
        }),
      ],
    ),
    ...(
      [
        [{ type: 'property' }, 'apiName'],
        [{ type: 'structField' }, 'propertyApiName'],
        [{ type: 'structField', propertyApiName: 'address' }, 'structFieldApiName'],
      ] as const
    ).map(([propertyIdentifier, member]): [object, ReturnType<typeof error>] => [
      { propertyIdentifier },
      error('Conjure:UnprocessableEntity', {
        parameter: `where.propertyIdentifier.${member}`,
        reason: 'is missing',
      }),
    ]),
    [
      {
        propertyIdentifier: {
          type: 'structField',
          propertyApiName: 'nowhere',
          structFieldApiName: 'town',
        },
      },
      error('PropertiesNotFound', { properties: ['nowhere:town'] }),
    ],
    [
      {
        propertyIdentifier: {
          type: 'propertyWithLoadLevel',
          propertyIdentifier: { type: 'propertyWithLoadLevel' },
          loadLevel: { type: 'noLoadLevel' },
        },
      },
      error('Conjure:UnprocessableEntity', {
        parameter: 'where.propertyIdentifier.propertyIdentifier',
        reason: 'is a propertyWithLoadLevel inside another',
      }),
    ],
    [
      {
        propertyIdentifier: {
          type: 'propertyWithLoadLevel',
          propertyIdentifier: { type: 'property', apiName: 'name' },
          loadLevel: { type: 'applyReducers' },
        },
      },
      error('Conjure:UnprocessableEntity', {
        parameter: 'where.propertyIdentifier.loadLevel',
        reason: 'is not supported; the only supported load level is noLoadLevel',
      }),
    ],
  ])('%j is refused', (named, refusal) => {
    expect(failing({ type: 'eq', ...named, value: 'x' })).toThrow(refusal)
  })

  it('cannot be the title of a type without one', () => {
    const where = { type: 'isNull', propertyIdentifier: { type: 'titleProperty' }, value: true }
    expect(() => read(where, { ...objectType, titleProperty: undefined })).toThrow(
      error('Conjure:UnprocessableEntity', {
        parameter: 'where.propertyIdentifier',
        reason: 'airport has no title property, or several of different types',
      }),
    )
  })
})

it('selects everything with an empty and, and refuses an empty or', () => {
  const empty = { type: 'and', value: [] }
  expect(read(empty)).toEqual(EVERYTHING)
  expect(read({ type: 'or', value: [empty] })).toEqual({ kind: 'or', of: [EVERYTHING] })
  expect(failing({ type: 'or', value: [] })).toThrow(error('InvalidOrFilter', { path: 'where' }))
})

describe('in', () => {
  it('is equal to any of the values', () => {
    expect(read({ type: 'in', field: 'name', value: ['a', 'b'] })).toEqual({
      kind: 'oneOf',
      field: { property: 'name', structField: undefined },
      values: ['a', 'b'],
    })
  })

  it('matches everything if the list is empty', () => {
    expect(read({ type: 'in', field: 'name', value: [] })).toEqual(EVERYTHING)
  })

  it.each([
    ['abc', error('Conjure:UnprocessableEntity', { parameter: 'where.value' })],
    [['a', 7], error('InvalidPropertyValue', { property: 'name', propertyValue: 7 })],
    [Array(10_001).fill('a'), error('QueryTermsExceededLimit', { termsLimit: 10_000 })],
    [Array(10_000).fill('a'), error('QueryTermsExceededLimit', { termsLimit: 100 })],
  ])('%j is refused', (value, refusal) => {
    expect(failing({ type: 'in', field: 'name', value })).toThrow(refusal)
  })
})

it('names a text query that the type of the property does not support', () => {
  expect(failing({ type: 'containsAnyTerm', field: 'runways', value: 'x' })).toThrow(
    error('PropertyTypesSearchNotSupported', { parameters: { containsAnyTerm: ['runways'] } }),
  )
})

it('reads the query at the path of its request', () => {
  const context = { objectType, limits, path: 'objectSet.where' }
  expect(() => parseQuery(V2_QUERIES, { type: 'eqq' }, context)).toThrow(
    error('Default:InvalidArgument', { parameter: 'objectSet.where.type', value: 'eqq' }),
  )
})
