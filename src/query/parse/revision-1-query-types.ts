/**
 * The query types of search in revision 1.0. Fields are written `properties.NAME` or
 * `properties.NAME.FIELD`,
 * with further fields of structs inside structs.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { TextMatch } from '../query.ts'
import { findField } from '../resolve-field.ts'
import type { FieldSyntax } from './conditions.ts'
import type { QueryGrammar, QueryTypeParser } from './parse-query.ts'
import { COMBINATORS, COMPARISONS } from './shared-query-types.ts'
import { unprocessable } from './unprocessable.ts'

const PREFIX = 'properties.'

export const REVISION_1_FIELDS: FieldSyntax = {
  find: (written, objectType) => {
    if (!written.startsWith(PREFIX)) {
      throw new ObjectQueryError('InvalidFields', { properties: [written] })
    }
    return findField(objectType, written.slice(PREFIX.length))
  },
  notFound: (written, objectType) =>
    new ObjectQueryError('PropertiesNotFound', {
      objectType: objectType.apiName,
      properties: [written.slice(PREFIX.length)],
    }),
  invalidValue: ({ written, type, value, reason }) =>
    new ObjectQueryError('InvalidPropertyValue', {
      property: written.slice(PREFIX.length),
      propertyBaseType: type,
      propertyValue: value,
      reason,
    }),
}

const text = (
  match: TextMatch,
  { canBeFuzzy }: { readonly canBeFuzzy: boolean },
): QueryTypeParser => ({
  members: canBeFuzzy ? ['field', 'value', 'fuzzy'] : ['field', 'value'],
  parse: ({ field = null, value, fuzzy }, { conditions, path }) => {
    if (fuzzy !== undefined && fuzzy !== null && typeof fuzzy !== 'boolean') {
      throw unprocessable(`${path}.fuzzy`, 'is not a boolean')
    }
    return conditions.text({ match, field, value, fuzzy: fuzzy === true, path })
  },
})

export const REVISION_1_QUERIES: QueryGrammar = {
  syntax: REVISION_1_FIELDS,
  member: 'query',
  types: new Map([
    ...COMPARISONS,
    [
      'isNull',
      {
        members: ['field', 'value'],
        parse: ({ field, value }, { conditions, path }) => conditions.isNull(field, value, path),
      },
    ],
    [
      'contains',
      {
        members: ['field', 'value'],
        parse: ({ field, value }, { conditions, path }) => conditions.contains(field, value, path),
      },
    ],
    ['phrase', text('phrase', { canBeFuzzy: false })],
    ['prefix', text('prefix', { canBeFuzzy: false })],
    ['anyTerm', text('anyTerm', { canBeFuzzy: true })],
    ['allTerms', text('allTerms', { canBeFuzzy: true })],
    ...COMBINATORS,
  ]),
}
