import type { Aggregation } from '../../../query/aggregation/aggregation.ts'
import type { AggregateResult } from '../../port/pages.ts'
import { GroupWriter, tooManyGroups } from '../../sql/group-writer.ts'
import type { FoundGroups } from './sort-groups.ts'

/** Writes the groups of an aggregation, and refuses results that are too large. */
export function writeGroups(
  { groups, excludedItems, keysOf, metricsOf }: FoundGroups,
  aggregation: Aggregation,
  maxGroups: number,
): Omit<AggregateResult, 'versions'> {
  if (aggregation.groupings.length > 0 && groups.length > maxGroups) {
    throw tooManyGroups(groups.length, maxGroups)
  }
  const writer = new GroupWriter(aggregation)
  for (const group of groups) writer.add(keysOf(group), metricsOf(group))
  return { records: writer.finish(), excludedItems }
}
