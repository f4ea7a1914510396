/**
 * The query types of search in revision 1.0. Fields are written `properties.NAME` or
 * `properties.NAME.FIELD`, with further fields of structs inside structs.
 */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { TextMatch } from '../query.ts'
import { findField } from '../resolve-field.ts'
import type { FieldSyntax } from './conditions.ts'
import type { QueryGrammar, QueryTypeParser } from './parse-query.ts'
import { combinators, comparisons } from './shared-query-language.ts'
import {
  Fuzzy,
  IsAbsent,
  Text,
  type UnionType,
  unionType,
  unionTypes,
  Value,
} from './union-type.ts'
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

export const PROPERTY_PATTERN = '^properties\\..'

const Field = Type.String({
  pattern: PROPERTY_PATTERN,
  description:
    '`properties.NAME`, or `properties.NAME.FIELD.FIELD` for a field of a struct, at any depth.',
})

const text = (match: TextMatch, type: UnionType): QueryTypeParser => ({
  ...type,
  parse: ({ field = null, value, fuzzy }, { conditions, path }) => {
    if (fuzzy !== undefined && fuzzy !== null && typeof fuzzy !== 'boolean') {
      throw unprocessable(`${path}.fuzzy`, 'is not a boolean')
    }
    return conditions.text({ match, field, value, fuzzy: fuzzy === true, path })
  },
})

const PHRASE = unionType('Phrase', { field: Field, value: Text })
const TERMS = unionType('Terms', { field: Field, value: Text, fuzzy: Fuzzy })

const COMPONENT = 'Revision1Query'

export const REVISION_1_QUERIES: QueryGrammar = {
  syntax: REVISION_1_FIELDS,
  member: 'query',
  component: COMPONENT,
  types: unionTypes({
    ...comparisons(Field),
    isNull: {
      ...unionType('IsNull', { field: Field, value: IsAbsent }),
      parse: ({ field, value }, { conditions, path }) => conditions.isNull(field, value, path),
    },
    contains: {
      ...unionType('Contains', { field: Field, value: Value }),
      parse: ({ field, value }, { conditions, path }) => conditions.contains(field, value, path),
    },
    phrase: text('phrase', PHRASE),
    prefix: text('prefix', PHRASE),
    anyTerm: text('anyTerm', TERMS),
    allTerms: text('allTerms', TERMS),
    ...combinators(COMPONENT),
  }),
}
