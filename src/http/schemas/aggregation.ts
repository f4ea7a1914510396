/** The parts that aggregations have in common in all versions of the API. */
import { Type } from 'typebox'
import { anyMembers, integer, namedObject, optional } from '../../contract/schema-parts.ts'

/** Aggregates the objects of an earlier moment, such as that of a snapshot walk. */
export const AggregatedVersion = optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'The version to aggregate, as the header `oqs-version` of a page or an aggregation names it. Default: the newest. A version that can no longer be read is rejected with `VersionNotFound`.',
  }),
)

/** The members of a response with groups. */
export const groupMembers = {
  excludedItems: Type.Optional(
    integer('The number of objects in groups that `maxGroupCount` dropped.'),
  ),
  data: Type.Array(
    namedObject('AggregationGroup', {
      group: anyMembers('The value, the start or the range, by property. Empty without `groupBy`.'),
      metrics: Type.Array(
        namedObject('AggregationValue', {
          name: Type.String({ examples: ['count'] }),
          value: Type.Optional(
            Type.Unsafe<number | string>({
              type: ['number', 'string'],
              description:
                'A double; in v2, for the `min`, `max` or percentile of texts, dates and timestamps, the value itself. Absent if there are no values to compute it from.',
              examples: [827],
            }),
          ),
        }),
      ),
    }),
    { description: 'The groups. Exactly one without `groupBy`.' },
  ),
}
