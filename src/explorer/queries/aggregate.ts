/** Aggregations of all objects of a view, never of a sample. */
import { queryOptions } from '@tanstack/react-query'
import type { ObjectAggregation } from '../../client/endpoints/object-sets.ts'
import type { AggregateResponse } from '../../client/endpoints/revision-1.ts'
import type { Service } from '../api/service.ts'
import { whereOf } from '../view/compile-filters.ts'
import { type TypeView, typePathOf } from '../view/type-view.ts'

export type Group = AggregateResponse['data'][number]
export type AggregationBody = Pick<ObjectAggregation, 'aggregation' | 'groupBy'>

/** The metric that counts the objects of a group. */
export const COUNT = { type: 'count', name: 'count' } as const

/** Returns the metrics of the smallest and the largest value, by these names. */
export function extremes(field: string) {
  return ['min', 'max'].map((type) => ({ type, name: type, field }))
}

/** Returns the metrics of percentiles, by their names. */
export function percentiles(field: string, ranks: Readonly<Record<string, number>>) {
  return Object.entries(ranks).map(([name, approximatePercentile]) => {
    return { type: 'approximatePercentile', name, field, approximatePercentile }
  })
}

/** Aggregates the objects of a view, together with what else is asked for in the same turn. */
export function aggregate(
  service: Service,
  of: TypeView,
  body: AggregationBody,
  signal: AbortSignal,
): Promise<AggregateResponse> {
  return aggregateWhere(service, of, { where: whereOf(of), ...body }, signal)
}

/** Aggregates objects of the type and version of a view, whatever its conditions are. */
export function aggregateWhere(
  { aggregations }: Service,
  of: TypeView,
  body: ObjectAggregation,
  signal: AbortSignal,
): Promise<AggregateResponse> {
  const { version, view } = of
  const type = { ...typePathOf(of), version, isSnapshot: view.isSnapshot }
  return aggregations.ask(type, body, signal)
}

/** Counts the objects of a view. */
export function countQuery(service: Service, of: TypeView) {
  return queryOptions({
    queryKey: ['count', ...countedKey(of)],
    queryFn: async ({ signal }) => {
      const { data } = await aggregate(service, of, { aggregation: [COUNT], groupBy: [] }, signal)
      return Number(data[0]?.metrics[0]?.value ?? 0)
    },
    staleTime: staleTimeOf(of),
  })
}

/** What a view counts: part of the key of every query that aggregates its objects. */
export function countedKey({ objectType, version, view }: TypeView) {
  const { filters, unread, text, box } = view
  return [objectType.rid, version, filters, unread, text, box] as const
}

/** Answers of a version never change. */
export function staleTimeOf({ version }: TypeView) {
  return version === undefined ? 0 : ('static' as const)
}
