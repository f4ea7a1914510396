/**
 * The objects before and after one in a list. They are found by its order values and its key, like
 * the next page of a walk, so that a shared address needs no page token to continue.
 */
import { queryOptions } from '@tanstack/react-query'
import { parseBody, type Send } from '../api/call.ts'
import type { ObjectTypeDefinition, OntologyDefinition, ScalarType } from '../api/ontology.ts'
import { keyText, type ObjectRecord, readRecord } from '../api/records.ts'
import type { Group } from '../data/facet-query.ts'
import type { OrderTerm, ViewState } from '../view/view-state.ts'
import { DIALECTS, type Json, scalarOf, whereOf } from '../view/where.ts'

type Query = { readonly [name: string]: Json }

export interface Neighbours {
  readonly previous: ObjectRecord | undefined
  readonly next: ObjectRecord | undefined
  /** The position in the list, from 1. */
  readonly position: number
  readonly total: number
}

export interface ListedObject {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
  /** The list, with the condition of the link that led to it. */
  readonly list: ViewState
  readonly record: ObjectRecord
}

const UNORDERED: readonly (ScalarType | undefined)[] = ['boolean', 'marking', undefined]

/** True if the service can compare the values that the list is ordered by. */
export function canFindNeighbours(
  type: ObjectTypeDefinition,
  order: readonly OrderTerm[],
): boolean {
  const properties = [type.primaryKey, ...order.map(({ property }) => property)]
  return properties.every((name) => !UNORDERED.includes(scalarOf(type, name)))
}

/** Returns the conditions of the objects before or after a record. Missing values come last. */
export function besideQuery(
  type: ObjectTypeDefinition,
  order: readonly OrderTerm[],
  record: ObjectRecord,
  side: 'before' | 'after',
): Query {
  // Objects with equal values are ordered by key, in the direction of the last term.
  const terms = [...order, { property: type.primaryKey, direction: lastDirection(order) }]
  const valueIn = (property: string) => (record.properties[property] ?? null) as Json
  const alternatives = terms.flatMap(({ property, direction }, index) => {
    const equal = terms.slice(0, index).map((term) => equals(term.property, valueIn(term.property)))
    const goesUp = (direction === 'asc') === (side === 'after')
    return beyond(property, valueIn(property), goesUp ? 'gt' : 'lt', side).map((query) =>
      allOf([...equal, query]),
    )
  })
  const [first, ...rest] = alternatives
  return first !== undefined && rest.length === 0 ? first : { type: 'or', value: alternatives }
}

function beyond(field: string, value: Json, type: 'gt' | 'lt', side: 'before' | 'after'): Query[] {
  if (value === null) return side === 'after' ? [] : [{ type: 'isNull', field, value: false }]
  const missing: Query[] = side === 'after' ? [{ type: 'isNull', field, value: true }] : []
  return [{ type, field, value }, ...missing]
}

function equals(field: string, value: Json): Query {
  return value === null ? { type: 'isNull', field, value: true } : { type: 'eq', field, value }
}

function allOf(queries: readonly Query[]): Query {
  const [first, ...rest] = queries
  return first !== undefined && rest.length === 0 ? first : { type: 'and', value: queries }
}

function lastDirection(order: readonly OrderTerm[]): OrderTerm['direction'] {
  return order.at(-1)?.direction ?? 'asc'
}

function reversed({ property, direction }: OrderTerm): OrderTerm {
  return { property, direction: direction === 'asc' ? 'desc' : 'asc' }
}

export function neighboursQuery(send: Send, { ontology, objectType, list, record }: ListedObject) {
  const { order } = list
  const listed = [list.filters, list.text, list.box, order]
  return queryOptions({
    queryKey: ['neighbours', objectType.rid, keyText(record.key), listed],
    queryFn: async ({ signal }): Promise<Neighbours> => {
      const conditions = whereOf(list, objectType, DIALECTS.v2)
      const within = (query: Query) =>
        allOf(conditions === undefined ? [query] : [conditions, query])
      const path = `/api/v2/ontologies/${encodeURIComponent(ontology.apiName)}/objects/${encodeURIComponent(objectType.apiName)}`
      const find: Find = async (where, terms) => {
        const fields = terms.map(({ property, direction }) => ({ field: property, direction }))
        const body = { where, orderBy: { fields }, select: [], selectV2: [], pageSize: 1 }
        const page = parseBody<{ readonly data: readonly unknown[] }>(
          await send({ method: 'POST', path: `${path}/search`, body }, signal),
        )
        return page.data.map((json) => readRecord(json, objectType))[0]
      }
      const count = async (where: Query | undefined) => {
        const body = { ...(where && { where }), aggregation: [COUNT], groupBy: [] }
        const { data } = parseBody<{ readonly data: readonly Group[] }>(
          await send({ method: 'POST', path: `${path}/aggregate`, body }, signal),
        )
        return Number(data[0]?.metrics[0]?.value ?? 0)
      }
      const byKey: OrderTerm = { property: objectType.primaryKey, direction: lastDirection(order) }
      const before = within(besideQuery(objectType, order, record, 'before'))
      const after = within(besideQuery(objectType, order, record, 'after'))
      const [previous, next, preceding, total] = await Promise.all([
        findLast(find, before, [
          ...order.filter(({ property }) => property !== byKey.property),
          byKey,
        ]),
        find(after, order.length === 0 ? [byKey] : order),
        count(before),
        count(conditions),
      ])
      return { previous, next, position: preceding + 1, total }
    },
  })
}

const COUNT = { type: 'count', name: 'count' } as const

type Find = (where: Query, order: readonly OrderTerm[]) => Promise<ObjectRecord | undefined>

/**
 * Returns the last object of an ordered list. Missing values come last in both directions, so the
 * end of the list cannot be read in the reversed order: it is found term by term.
 */
async function findLast(
  find: Find,
  where: Query,
  [term, ...rest]: readonly OrderTerm[],
): Promise<ObjectRecord | undefined> {
  if (term === undefined) return undefined
  if (rest.length === 0) return find(where, [reversed(term)])
  const { property: field } = term
  const missing = allOf([where, { type: 'isNull', field, value: true }])
  const last = await findLast(find, missing, rest)
  if (last !== undefined) return last
  const largest = await find(where, [reversed(term)])
  if (largest === undefined) return undefined
  const value = (largest.properties[field] ?? null) as Json
  return findLast(find, allOf([where, equals(field, value)]), rest)
}
