/** Which objects a tool is about: `words`, and `where` as in v2. */
import { type Static, Type } from 'typebox'
import type { ResolvedType } from '../../access/find-visible.ts'
import { anyMembers, text } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { matchAll, matchAny } from '../../query/combine-queries.ts'
import { conditionsOf } from '../../query/parse/conditions.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { QueryBudget, type QueryLimits } from '../../query/parse/query-budget.ts'
import { V2_FIELDS } from '../../query/parse/v2-fields.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-language.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'

const WHERE = `A condition. On a property: {"type": "eq", "field": "country", "value": "CH"}; describe_type lists the types that a property supports.
eq, lt, lte, gt, gte, contains (an element of an array) have a value; in has a list as value; isNull has true or false.
containsAllTerms, containsAnyTerm find words in a text, containsAllTermsInOrderPrefixLastTerm its beginning; wildcard and regex match a whole text.
relativeDateRange: {"relativeStartTime": {"type": "relativePoint", "value": -7, "timeUnit": "DAY"}, "timeZoneId": "UTC"}.
withinDistanceOf: {"value": {"center": {"type": "Point", "coordinates": [8.5, 47.4]}, "distance": {"value": 50, "unit": "KILOMETERS"}}}.
withinBoundingBox: {"value": {"topLeft": POINT, "bottomRight": POINT}}.
and, or have a list of conditions as value, not has one condition; {"type": "linked", "link": NAME, "where": CONDITION} is about linked objects.`

export const conditionArguments = {
  words: Type.Optional(text('Words that an object must all contain, in any of its texts.')),
  where: Type.Optional(anyMembers(WHERE)),
}

type WrittenConditions = Static<ReturnType<typeof Type.Object<typeof conditionArguments>>>

export function parseConditions(
  { words, where }: WrittenConditions,
  type: ResolvedType,
  limits: QueryLimits,
): Query {
  return matchAll([
    words === undefined ? EVERYTHING : parseWords(words, type.objectType, limits),
    where === undefined ? EVERYTHING : parseQuery(V2_QUERIES, where, { ...type, limits }),
  ])
}

/** Matches words in any text. That a title has them changes nothing but the order by relevance. */
function parseWords(words: string, objectType: ObjectType, limits: QueryLimits): Query {
  const conditions = conditionsOf(objectType, V2_FIELDS, new QueryBudget(limits))
  const { titleProperty, properties } = objectType
  const type = properties.get(titleProperty ?? '')?.type
  const hasTextTitle = type?.kind === 'scalar' && type.type === 'string'
  const fields = hasTextTitle ? [titleProperty, undefined] : [undefined]
  return matchAny(
    fields.map((field) =>
      conditions.text({ match: 'allTerms', field, value: words, fuzzy: false, path: 'words' }),
    ),
  )
}
