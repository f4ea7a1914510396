/**
 * The objects before and after one in a list. They are found by its order values and its key, like
 * the next page of a walk, so that a shared address needs no page token to go on.
 */
import { queryOptions } from '@tanstack/react-query'
import { parseBody, type Send } from '../api/call.ts'
import type { ObjectTypeDefinition, OntologyDefinition, ScalarType } from '../api/ontology.ts'
import { keyText, type ObjectRecord, readRecord } from '../api/records.ts'
import type { aggregate } from '../facets/facet-query.ts'
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
export function canFindNeighbours(type: ObjectTypeDefinition, order: OrderTerm | undefined) {
  const properties = [type.primaryKey, ...(order === undefined ? [] : [order.property])]
  return properties.every((name) => !UNORDERED.includes(scalarOf(type, name)))
}

/** Returns the conditions of the objects before or after a record. Missing values come last. */
export function besideQuery(
  type: ObjectTypeDefinition,
  order: OrderTerm | undefined,
  record: ObjectRecord,
  side: 'before' | 'after',
): Query {
  // Objects with equal values are ordered by key, in the direction of the order.
  const goesUp = ((order?.direction ?? 'asc') === 'asc') === (side === 'after')
  const beyond = goesUp ? 'gt' : 'lt'
  const key = (record.properties[type.primaryKey] ?? record.key) as Json
  const byKey: Query = { type: beyond, field: type.primaryKey, value: key }
  if (order === undefined || order.property === type.primaryKey) return byKey
  const field = order.property
  const value = record.properties[field] as Json | undefined
  const isMissing: Query = { type: 'isNull', field, value: true }
  if (value === undefined || value === null) {
    const among: Query = { type: 'and', value: [isMissing, byKey] }
    return side === 'after'
      ? among
      : { type: 'or', value: [{ type: 'isNull', field, value: false }, among] }
  }
  const ties: Query = { type: 'and', value: [{ type: 'eq', field, value }, byKey] }
  const conditions = [{ type: beyond, field, value }, ties]
  return { type: 'or', value: side === 'after' ? [...conditions, isMissing] : conditions }
}

/** Returns the order in which the nearest neighbour comes first. */
function nearestFirst(
  type: ObjectTypeDefinition,
  order: OrderTerm | undefined,
  side: string,
): Json {
  const { property, direction } = order ?? { property: type.primaryKey, direction: 'asc' }
  if (side === 'after') return { fields: [{ field: property, direction }] }
  return { fields: [{ field: property, direction: direction === 'asc' ? 'desc' : 'asc' }] }
}

export function neighboursQuery(send: Send, { ontology, objectType, list, record }: ListedObject) {
  const { order } = list
  const listed = [list.filters, list.text, list.box, order]
  return queryOptions({
    queryKey: ['neighbours', objectType.rid, keyText(record.key), listed],
    queryFn: async ({ signal }): Promise<Neighbours> => {
      const conditions = whereOf(list, objectType, DIALECTS.v2)
      const within = (query: Query): Query =>
        conditions === undefined ? query : { type: 'and', value: [conditions, query] }
      const path = `/api/v2/ontologies/${encodeURIComponent(ontology.apiName)}/objects/${encodeURIComponent(objectType.apiName)}`
      const find = async (side: 'before' | 'after', where: Query) => {
        const orderBy = nearestFirst(objectType, order, side)
        const body = { where, orderBy, select: [], selectV2: [], pageSize: 1 }
        const page = parseBody<{ readonly data: readonly unknown[] }>(
          await send({ method: 'POST', path: `${path}/search`, body }, signal),
        )
        return page.data.map((json) => readRecord(json, objectType))[0]
      }
      const count = async (where: Query | undefined) => {
        const body = { ...(where && { where }), aggregation: [COUNT], groupBy: [] }
        const result = parseBody<Awaited<ReturnType<typeof aggregate>>>(
          await send({ method: 'POST', path: `${path}/aggregate`, body }, signal),
        )
        return Number(result.data[0]?.metrics[0]?.value ?? 0)
      }
      const before = within(besideQuery(objectType, order, record, 'before'))
      const after = within(besideQuery(objectType, order, record, 'after'))
      const [previous, next, preceding, total] = await Promise.all([
        findPrevious(find, { objectType, order, record, within }, before),
        find('after', after),
        count(before),
        count(conditions),
      ])
      return { previous, next, position: preceding + 1, total }
    },
  })
}

const COUNT = { type: 'count', name: 'count' } as const

interface Before extends Pick<ListedObject, 'objectType' | 'record'> {
  readonly order: OrderTerm | undefined
  readonly within: (query: Query) => Query
}

/**
 * Missing values come last in both directions, so a reversed order finds objects with values first.
 * The previous object of one without a value is therefore looked for among its like first.
 */
async function findPrevious(
  find: (side: 'before', where: Query) => Promise<ObjectRecord | undefined>,
  { objectType, order, record, within }: Before,
  before: Query,
): Promise<ObjectRecord | undefined> {
  const field = order?.property ?? objectType.primaryKey
  if (record.properties[field] === undefined || record.properties[field] === null) {
    const isMissing: Query = { type: 'isNull', field, value: true }
    const beside = besideQuery(objectType, order, record, 'before')
    const alike = await find('before', within({ type: 'and', value: [isMissing, beside] }))
    if (alike !== undefined) return alike
  }
  return find('before', before)
}
