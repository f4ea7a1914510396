/** The parts that aggregations have in common in all versions of the API. */
import { Type } from 'typebox'
import { anyMembers, integer, optional } from '../../contract/schema-parts.ts'

/** Aggregates the objects of an earlier moment, such as that of a snapshot walk. */
export const AggregatedVersion = optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'The version to aggregate, as the header `oqs-version` of a page or an aggregation names it. Default: the newest. A version that can no longer be read is rejected with `VersionNotFound`.',
  }),
)

/** Returns the members of a response with groups, given the description of a metric's value. */
export function groupMembers(description: string) {
  return {
    excludedItems: Type.Optional(
      integer('The number of objects in groups that `maxGroupCount` dropped.'),
    ),
    data: Type.Array(
      Type.Object({
        group: anyMembers(
          'The value, the start or the range, by property. Empty without `groupBy`.',
        ),
        metrics: Type.Array(
          Type.Object({
            name: Type.String({ examples: ['count'] }),
            value: Type.Optional(
              Type.Unsafe<number | string>({
                type: ['number', 'string'],
                description,
                examples: [827],
              }),
            ),
          }),
        ),
      }),
      { description: 'The groups. Exactly one without `groupBy`.' },
    ),
  }
}
