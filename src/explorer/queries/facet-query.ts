/** Counts of values: aggregations over all objects that match the view, never a sample. */

import { queryOptions } from '@tanstack/react-query'
import type { ServiceRequest } from '../../client/connection.ts'
import {
  type ObjectAggregateRequest,
  objectAggregateRequest,
} from '../../client/endpoints/object-sets.ts'
import type { AggregateResponse } from '../../client/endpoints/revision-1.ts'
import { linkAt, type ObjectTypeDefinition, type OntologyDefinition } from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { type TypeView, typePathOf, whereOf } from '../view/type-view.ts'
import type { ViewState } from '../view/view-state.ts'

interface FacetValue {
  readonly value: string
  readonly count: number
}

export type Group = AggregateResponse['data'][number]

/** Values that a facet shows. */
export const FACET_VALUES = 12

type AggregationBody = Pick<ObjectAggregateRequest, 'aggregation' | 'groupBy'>

/** Aggregates the objects of a view. */
export function aggregate(
  { objectSets }: Service,
  of: TypeView,
  body: AggregationBody,
  signal: AbortSignal,
): Promise<AggregateResponse> {
  return objectSets.aggregateObjects(typePathOf(of), aggregation(of, body), { signal })
}

/** Counts the objects of a view. */
export async function countObjects(
  service: Service,
  of: TypeView,
  signal: AbortSignal,
): Promise<number> {
  const { data } = await aggregate(service, of, { aggregation: [COUNT], groupBy: [] }, signal)
  return Number(data[0]?.metrics[0]?.value ?? 0)
}

/** The metric that counts the objects of a group. */
export const COUNT = { type: 'count', name: 'count' } as const

function aggregation(of: TypeView, body: AggregationBody): ObjectAggregateRequest {
  return { where: whereOf(of), version: of.version, ...body }
}

/** Returns the request that counts the values of a property, the most frequent first. */
export function countRequest(of: TypeView, property: string, most = FACET_VALUES): ServiceRequest {
  return objectAggregateRequest(typePathOf(of), aggregation(of, countBody(property, most)))
}

function countBody(property: string, most: number): AggregationBody {
  return {
    aggregation: [{ ...COUNT, direction: 'DESC' }],
    groupBy: [{ type: 'exact', field: property, maxGroupCount: most }],
  }
}

/** The most frequent values of a property, and how many objects have another one. */
export interface Facet {
  readonly values: readonly FacetValue[]
  readonly others: number
}

/** Counts the values of a property. A filter on the property itself is left out. */
export function facetQuery(service: Service, of: TypeView, property: string, most = FACET_VALUES) {
  const filters = of.view.filters.filter(({ field }) => field !== property)
  const view: ViewState = { ...of.view, filters }
  const { text, box } = view
  return queryOptions({
    queryKey: ['facet', of.objectType.rid, of.version, property, filters, text, box, most],
    queryFn: async ({ signal }): Promise<Facet> => {
      const body = countBody(property, most)
      const { data, excludedItems = 0 } = await aggregate(service, { ...of, view }, body, signal)
      const values = data
        .map(({ group, metrics }) => ({
          value: String(group[property]),
          count: Number(metrics[0]?.value ?? 0),
        }))
        .toSorted((a, b) => b.count - a.count)
      return { values, others: excludedItems }
    },
  })
}

const SUGGESTIONS = 50

/** Returns the values that the editor of a filter suggests. */
export function suggestionsQuery(service: Service, of: TypeView, property: string) {
  return {
    ...facetQuery(service, of, property, SUGGESTIONS),
    select: ({ values }: Facet) => values,
  }
}

/** True if a facet helps to choose: where most values belong to one object, there is nothing to group. */
export function isUseful({ values, others }: Facet): boolean {
  const typical = others === 0 ? values[0] : values[values.length >> 1]
  return (typical?.count ?? 0) > 1 || (values.length === 1 && others === 0)
}

/**
 * Properties whose values are worth counting: short texts and booleans, but not keys and titles.
 * Links and booleans come first, because other texts may differ in every object.
 */
export function facetProperties(
  ontology: OntologyDefinition,
  { apiName, properties, primaryKey, titleProperty }: ObjectTypeDefinition,
): readonly string[] {
  const rankOf = (name: string) => {
    if (linkAt(ontology, apiName, name) !== undefined) return 0
    return properties[name]?.type === 'boolean' ? 1 : 2
  }
  return Object.entries(properties)
    .filter(([name, definition]) => {
      const element = definition.type === 'array' ? definition.items : definition
      const isCounted = element.type === 'string' || element.type === 'boolean'
      return isCounted && name !== primaryKey && name !== titleProperty
    })
    .map(([name]) => name)
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** The operator that selects the objects of one value: arrays contain it, others are equal to it. */
export function facetOperator({ properties }: ObjectTypeDefinition, property: string) {
  return properties[property]?.type === 'array' ? 'contains' : 'eq'
}
