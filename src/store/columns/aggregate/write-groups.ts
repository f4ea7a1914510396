/** Writes the groups of an aggregation, and refuses results that are too large. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { AGGREGATE_MAX_BYTES } from '../../../contract/limits.ts'
import type { Aggregation } from '../../../query/aggregation/aggregation.ts'
import type { AggregateResult } from '../../port/pages.ts'
import { tooManyGroups } from '../../sql/aggregate/aggregate-groups.ts'
import { groupWriter, JoinedTexts } from '../../sql/aggregate/group-json.ts'
import type { FoundGroups } from './sort-groups.ts'

/** The approximate bytes of a metric in the response, besides its name and its value. */
const METRIC_BYTES = 25

export function writeGroups(
  { groups, excludedItems, keysOf, metricsOf }: FoundGroups,
  aggregation: Aggregation,
  maxGroups: number,
): Omit<AggregateResult, 'versions'> {
  if (aggregation.groupings.length > 0 && groups.length > maxGroups) {
    throw tooManyGroups(groups.length, maxGroups)
  }
  const writeGroup = groupWriter(aggregation)
  const nameBytes = aggregation.metrics.reduce(
    (sum, { name }) => sum + name.length + METRIC_BYTES,
    0,
  )
  const records = new JoinedTexts()
  let bytes = 0
  for (const group of groups) {
    const [keys, metrics] = [keysOf(group), metricsOf(group)]
    bytes += nameBytes + [...keys, ...metrics].reduce((sum, text) => sum + (text?.length ?? 0), 0)
    if (bytes > AGGREGATE_MAX_BYTES) {
      throw new ObjectQueryError('AggregationMemoryExceededLimit', {
        bytesLimit: AGGREGATE_MAX_BYTES,
      })
    }
    records.add(writeGroup({ keys, metrics }))
  }
  return { records: records.finish(), excludedItems }
}
