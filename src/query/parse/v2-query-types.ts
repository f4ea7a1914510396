/** The query types of v2. Fields are written as bare names. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { FieldSyntax } from './conditions.ts'
import type { QueryGrammar } from './parse-query.ts'
import { COMBINATORS, COMPARISONS } from './shared-query-types.ts'

const V2_FIELDS: FieldSyntax = {
  candidates: (written) => [{ property: written, structField: undefined }],
  notFound: (written, objectType) =>
    new ObjectQueryError('PropertiesNotFound', {
      objectType: objectType.apiName,
      properties: [written],
    }),
  invalidValue: ({ written, type, value, reason }) =>
    new ObjectQueryError('InvalidPropertyValue', {
      property: written,
      propertyBaseType: type,
      propertyValue: value,
      reason,
    }),
}

export const V2_QUERIES: QueryGrammar = {
  syntax: V2_FIELDS,
  types: new Map([
    ...COMPARISONS,
    [
      'isNull',
      {
        members: ['field', 'value'],
        parse: ({ field, value }, { conditions, path }) => conditions.isNull(field, value, path),
      },
    ],
    ...COMBINATORS,
  ]),
}
