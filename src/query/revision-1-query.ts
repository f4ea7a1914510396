import { ObjectQueryError } from '../contract/errors.ts'
import type { FieldSyntax } from './conditions.ts'
import type { TextMatch } from './query.ts'
import {
  COMBINATORS,
  COMPARISONS,
  type QueryGrammar,
  type QueryTypeParser,
} from './query-reader.ts'
import { unprocessable } from './unprocessable.ts'

/** The query of search in revision 1.0. Fields are written `properties.NAME` or `properties.NAME.FIELD`. */

const PREFIX = 'properties.'

/** Names may hold periods themselves, so the longest name that exists wins. */
export const REVISION_1_FIELDS: FieldSyntax = {
  readings: (written) => {
    if (!written.startsWith(PREFIX)) {
      throw new ObjectQueryError('InvalidFields', { properties: [written] })
    }
    const name = written.slice(PREFIX.length)
    const steps = name.split('.')
    const splits = steps.slice(1).map((_, index) => ({
      property: steps.slice(0, steps.length - 1 - index).join('.'),
      structField: steps.slice(steps.length - 1 - index).join('.'),
    }))
    return [{ property: name, structField: undefined }, ...splits]
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

const text = (match: TextMatch, mayBeFuzzy: boolean): QueryTypeParser => ({
  members: mayBeFuzzy ? ['field', 'value', 'fuzzy'] : ['field', 'value'],
  parse: ({ field = null, value, fuzzy }, { conditions, path }) => {
    if (fuzzy !== undefined && fuzzy !== null && typeof fuzzy !== 'boolean') {
      throw unprocessable(`${path}.fuzzy`, 'is not a boolean')
    }
    return conditions.text({ match, field, value, fuzzy: fuzzy === true, path })
  },
})

export const REVISION_1_QUERIES: QueryGrammar = {
  syntax: REVISION_1_FIELDS,
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
    ['phrase', text('phrase', false)],
    ['prefix', text('prefix', false)],
    ['anyTerm', text('anyTerm', true)],
    ['allTerms', text('allTerms', true)],
    ...COMBINATORS,
  ]),
}
