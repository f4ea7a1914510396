/** Counts of values: aggregations over all objects that match the view, never a sample. */

import { queryOptions } from '@tanstack/react-query'
import type { ServiceRequest } from '../../client/connection.ts'
import { objectAggregateRequest } from '../../client/endpoints/object-sets.ts'
import {
  linkAt,
  type ObjectRecord,
  type ObjectTypeDefinition,
  type OntologyDefinition,
} from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { whereOf } from '../view/compile-filters.ts'
import { type Filter, isOnlyOn, type Operator, valuesOf, writeList } from '../view/filters.ts'
import { fieldOf, pathsOf } from '../view/paths.ts'
import { scalarOf, type TypeView, typePathOf } from '../view/type-view.ts'
import { type AggregationBody, aggregate, COUNT, countedKey, staleTimeOf } from './aggregate.ts'

interface FacetValue {
  readonly value: string
  readonly count: number
}

/** Values that a facet shows. */
export const FACET_VALUES = 12

/** Returns the request that counts the values of a property, the most frequent first. */
export function countRequest(of: TypeView, property: string): ServiceRequest {
  const { view, version } = of
  const body = { where: whereOf(of), ...countBody(property, FACET_VALUES) }
  // The newest version is the default, and a copied request should go on asking for it.
  const named = view.isSnapshot ? { ...body, version } : body
  return objectAggregateRequest(typePathOf(of), named)
}

function countBody(property: string, most: number): AggregationBody {
  return {
    aggregation: [{ ...COUNT, direction: 'DESC' }],
    groupBy: [{ type: 'exact', field: fieldOf(property), maxGroupCount: most }],
  }
}

/** The most frequent values of a property, and how many objects have another one. */
export interface Facet {
  readonly values: readonly FacetValue[]
  readonly others: number
}

/** Counts the values of a property. A filter on the property itself is left out. */
export function facetQuery(service: Service, of: TypeView, property: string, most = FACET_VALUES) {
  return valuesQuery(service, without(of, property), property, most)
}

/** Returns a view without its filters on a property, so that its other values can be chosen. */
function without(of: TypeView, property: string): TypeView {
  const filters = of.view.filters.filter((filter) => !isOnlyOn(filter, property))
  return { ...of, view: { ...of.view, filters } }
}

const SUGGESTIONS = 50

/** Returns the values that the editor of a filter suggests: those with a word that starts as typed. */
export function suggestionsQuery(service: Service, of: TypeView, property: string, typed: string) {
  const others = without(of, property)
  const begun: Filter = { field: property, operator: 'prefix', value: typed }
  const canBegin =
    of.objectType.properties[property]?.type === 'string' && /[\p{L}\p{N}]/u.test(typed)
  const filters = canBegin ? [...others.view.filters, begun] : others.view.filters
  return {
    ...valuesQuery(service, { ...of, view: { ...of.view, filters } }, property, SUGGESTIONS),
    select: ({ values }: Facet) => values,
  }
}

function valuesQuery(service: Service, of: TypeView, property: string, most: number) {
  return queryOptions({
    queryKey: ['facet', property, most, ...countedKey(of)],
    queryFn: async ({ signal }): Promise<Facet> => {
      const { data, excludedItems = 0 } = await aggregate(
        service,
        of,
        countBody(property, most),
        signal,
      )
      const values = data
        .map(({ group, metrics }) => ({
          value: String(group[fieldOf(property)]),
          count: Number(metrics[0]?.value ?? 0),
        }))
        .toSorted((a, b) => b.count - a.count)
      return { values, others: excludedItems }
    },
    staleTime: staleTimeOf(of),
  })
}

/** True if a facet helps to choose: where most values belong to one object, there is nothing to group. */
export function isUseful({ values, others }: Facet): boolean {
  const typical = others === 0 ? values[0] : values[values.length >> 1]
  return (typical?.count ?? 0) > 1 || (values.length === 1 && others === 0)
}

/** As many values that all differ show that a property has a value of its own for each object. */
const ENOUGH_VALUES = 100

/**
 * True if the rows that were read show that a facet would not help. Counting the values of such a
 * property takes the longest of all, and all facets would wait for it.
 */
export function differsInEachRow(rows: readonly ObjectRecord[], property: string): boolean {
  const values = rows.flatMap(({ properties }) => properties[property] ?? [])
  return values.length >= ENOUGH_VALUES && new Set(values).size === values.length
}

/**
 * Properties whose values are worth counting: short texts and booleans, but not keys and titles.
 * Links and booleans come first, because other texts may differ in every object.
 */
export function facetProperties(
  ontology: OntologyDefinition,
  objectType: ObjectTypeDefinition,
): readonly string[] {
  const { apiName, properties, primaryKey, titleProperty } = objectType
  const rankOf = (name: string) => {
    if (linkAt(ontology, apiName, name) !== undefined) return 0
    return properties[name]?.type === 'boolean' ? 1 : 2
  }
  return pathsOf(objectType)
    .filter((path) => {
      const type = scalarOf(objectType, path)
      const isCounted = type === 'string' || type === 'boolean'
      return isCounted && path !== primaryKey && path !== titleProperty
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** The operator that selects the objects of one value: arrays contain it, others are equal to it. */
export function facetOperator({ properties }: ObjectTypeDefinition, property: string) {
  return properties[property]?.type === 'array' ? 'contains' : 'eq'
}

/** Returns which values of a property are chosen, or excluded, and the filters when one is toggled. */
export function facetChoice({ objectType, view }: TypeView, property: string) {
  const one = facetOperator(objectType, property)
  const operators: readonly Operator[] = [one, 'in', 'neq', 'notIn']
  const filter = view.filters.find(
    (each) => isOnlyOn(each, property) && operators.includes(each.operator),
  )
  const values = filter === undefined ? [] : valuesOf(filter)
  const isExcluded = filter?.operator === 'neq' || filter?.operator === 'notIn'
  const toggle = (value: string): readonly Filter[] => {
    const isChosen = values.includes(value)
    const next = isChosen ? values.filter((each) => each !== value) : [...values, value]
    const [first = ''] = next
    const several = { operator: isExcluded ? 'notIn' : 'in', value: writeList(next) } as const
    const single = { operator: isExcluded ? 'neq' : one, value: first } as const
    const condition = { field: property, ...(next.length === 1 ? single : several) }
    const at = filter === undefined ? view.filters.length : view.filters.indexOf(filter)
    return view.filters.toSpliced(at, 1, ...(next.length === 0 ? [] : [condition]))
  }
  return { chosen: new Set(values), isExcluded, toggle }
}
