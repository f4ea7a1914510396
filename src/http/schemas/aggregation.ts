/** The parts that aggregations have in common in all versions of the API. */
import { type TSchema, Type } from 'typebox'
import { API_NAME_MAX_LENGTH, WIRE_INTEGER_MAX } from '../../contract/limits.ts'
import { anyMembers, integer, optional } from '../../contract/schema-parts.ts'

/** Long enough for a struct field, so that the parser can reject one by name. */
export const AggregatedFieldName = Type.String({ maxLength: 3 * API_NAME_MAX_LENGTH })

export const MetricName = optional(
  Type.String({ minLength: 1, maxLength: 2 * API_NAME_MAX_LENGTH }),
)

export const PositiveInteger = Type.Integer({ minimum: 1, maximum: WIRE_INTEGER_MAX })

/** Aggregates the objects of an earlier moment, such as that of a snapshot walk. */
export const AggregatedVersion = optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'The version to aggregate, as the header `oqs-version` of a page or an aggregation names it. Default: the newest. A version that can no longer be read is rejected with `VersionNotFound`.',
  }),
)

/** Returns the members of a response with groups, given the schema of a metric's value. */
export function groupMembers<T extends TSchema>(value: T) {
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
            value: Type.Optional({ ...value, examples: [827] }),
          }),
        ),
      }),
      { description: 'The groups. Exactly one without `groupBy`.' },
    ),
  }
}
