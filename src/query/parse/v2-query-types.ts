/** The query types of `where` in v2. */

import type { Query, TextMatch } from '../query.ts'
import type { QueryGrammar, QueryMembers, QueryParsing, QueryTypeParser } from './parse-query.ts'
import { COMBINATORS } from './shared-query-types.ts'
import { unprocessable } from './unprocessable.ts'
import { FIELD_MEMBERS, readV2Field, V2_FIELDS } from './v2-fields.ts'

/** A condition on one property, which is named by `field` or `propertyIdentifier`. */
function leaf(
  members: readonly string[],
  parse: (field: string, members: QueryMembers, parsing: QueryParsing) => Query,
): QueryTypeParser {
  return {
    members: [...FIELD_MEMBERS, ...members],
    parse: (query, parsing) =>
      parse(readV2Field(query, parsing.objectType, parsing.path), query, parsing),
  }
}

const text = (type: string, match: TextMatch, canBeFuzzy: boolean): [string, QueryTypeParser] => [
  type,
  leaf(
    canBeFuzzy ? ['value', 'fuzzy'] : ['value'],
    (field, { value, fuzzy }, { conditions, path }) => {
      if (fuzzy != null && typeof fuzzy !== 'boolean') {
        throw unprocessable(`${path}.fuzzy`, 'is not a boolean')
      }
      return conditions.text({ type, match, field, value, fuzzy: fuzzy === true, path })
    },
  ),
]

export const V2_QUERIES: QueryGrammar = {
  syntax: V2_FIELDS,
  member: 'where',
  types: new Map<string, QueryTypeParser>([
    ...(['eq', 'lt', 'lte', 'gt', 'gte'] as const).map((operator): [string, QueryTypeParser] => [
      operator,
      leaf(['value'], (field, { value }, { conditions, path }) =>
        conditions.compare(operator, field, value, path),
      ),
    ]),
    [
      'in',
      leaf(['value'], (field, { value }, { conditions, path }) =>
        conditions.in(field, value, path),
      ),
    ],
    [
      'isNull',
      leaf(['value'], (field, { value }, { conditions, path }) =>
        conditions.isNull(field, value, path),
      ),
    ],
    [
      'contains',
      leaf(['value'], (field, { value }, { conditions, path }) =>
        conditions.contains(field, value, path),
      ),
    ],
    text('containsAllTerms', 'allTerms', true),
    text('containsAnyTerm', 'anyTerm', true),
    text('containsAllTermsInOrder', 'phrase', false),
    text('containsAllTermsInOrderPrefixLastTerm', 'prefix', false),
    // The deprecated name of the previous one.
    text('startsWith', 'prefix', false),
    ...COMBINATORS,
  ]),
}
