/**
 * The query types of search in revision 1.0. Fields are written `properties.NAME` or
 * `properties.NAME.FIELD`.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { TextMatch } from '../query.ts'
import type { FieldName, FieldSyntax } from './conditions.ts'
import type { QueryGrammar, QueryTypeParser } from './parse-query.ts'
import { COMBINATORS, COMPARISONS } from './shared-query-types.ts'
import { unprocessable } from './unprocessable.ts'

const PREFIX = 'properties.'

/** Names can contain periods, so the longest name that exists wins. */
export const REVISION_1_FIELDS: FieldSyntax = {
  candidates: (written) => {
    if (!written.startsWith(PREFIX)) {
      throw new ObjectQueryError('InvalidFields', { properties: [written] })
    }
    return splits(written.slice(PREFIX.length))
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

/** Lazy: the first candidate nearly always exists, and a name can have many periods. */
function* splits(name: string): Generator<FieldName> {
  yield { property: name, structField: undefined }
  for (
    let at = name.lastIndexOf('.');
    at >= 0;
    at = at === 0 ? -1 : name.lastIndexOf('.', at - 1)
  ) {
    yield { property: name.slice(0, at), structField: name.slice(at + 1) }
  }
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
