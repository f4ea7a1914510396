import { describe, expect, it } from 'vitest'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import {
  V2_AGGREGATION_SCHEMAS,
  V2_GROUPING_COMPONENT,
  V2_METRIC_COMPONENT,
} from './v2-aggregation-schemas.ts'

interface Member {
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>
}

/** Returns the members of each type of a union. */
function membersOf(component: string): Record<string, string[]> {
  const members = Object.entries(V2_AGGREGATION_SCHEMAS)
    .filter(([name]) => name.startsWith(component) && name !== component)
    .map(([, schema]) => schema as Member)
  const entries = members.flatMap(({ properties }) =>
    (properties['type']?.enum ?? []).map((type) => [
      type,
      Object.keys(properties)
        .filter((name) => name !== 'type')
        .toSorted(),
    ]),
  )
  return Object.fromEntries(entries)
}

describe('the documented aggregations of v2', () => {
  it('are those that the parsers accept', () => {
    const { metrics, groupings, properties } = V2_AGGREGATIONS
    expect(membersOf(V2_METRIC_COMPONENT)).toEqual(
      Object.fromEntries([...metrics].map(([type, { members }]) => [type, members.toSorted()])),
    )
    expect(membersOf(V2_GROUPING_COMPONENT)).toEqual(
      Object.fromEntries(
        [...groupings].map(([type, { members }]) => [
          type,
          [...properties.members, ...members].toSorted(),
        ]),
      ),
    )
  })
})
