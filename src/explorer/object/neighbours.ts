/**
 * The objects before and after one in a list. They are found by its order values and its key, like
 * the next page of a walk, so that a shared address needs no page token to continue.
 */
import { queryOptions } from '@tanstack/react-query'
import {
  type Conditions,
  compileWhere,
  OBJECT_SET_SYNTAX,
} from '../../client/query/compile-where.ts'
import type { OrderTerm as QueryTerm } from '../../client/query/page-requests.ts'
import {
  keyText,
  type ObjectRecord,
  type ObjectTypeDefinition,
  type ScalarType,
} from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { COUNT } from '../queries/aggregate.ts'
import { readRecords } from '../queries/object-queries.ts'
import { reverseOrder } from '../queries/page-request.ts'
import { conditionsOf } from '../view/compile-filters.ts'
import { type ShownType, scalarOf, typePathOf } from '../view/type-view.ts'
import type { OrderTerm, ViewState } from '../view/view-state.ts'

export interface ListedObject extends ShownType {
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

/** Returns the condition of the objects before or after a record. Missing values come last. */
export function besideCondition(
  type: ObjectTypeDefinition,
  order: readonly OrderTerm[],
  record: ObjectRecord,
  side: 'before' | 'after',
): Conditions {
  // Objects with equal values are ordered by key, in the direction of the last term.
  const terms = [...order, { property: type.primaryKey, direction: lastDirection(order) }]
  const valueIn = (property: string) => record.properties[property] ?? null
  const alternatives = terms.flatMap(({ property, direction }, index) => {
    const equal = terms.slice(0, index).map((term) => equals(term.property, valueIn(term.property)))
    const goesUp = (direction === 'asc') === (side === 'after')
    return beyond(property, valueIn(property), goesUp ? 'gt' : 'lt', side).map((condition) => ({
      $and: [...equal, condition],
    }))
  })
  return { $or: alternatives }
}

function beyond(
  property: string,
  value: unknown,
  operator: 'gt' | 'lt',
  side: 'before' | 'after',
): Conditions[] {
  const isNull = (is: boolean) => ({ [property]: { isNull: is } })
  if (value === null) return side === 'after' ? [] : [isNull(false)]
  return [{ [property]: { [operator]: value } }, ...(side === 'after' ? [isNull(true)] : [])]
}

function equals(property: string, value: unknown): Conditions {
  return { [property]: value === null ? { isNull: true } : { eq: value } }
}

function lastDirection(order: readonly OrderTerm[]): OrderTerm['direction'] {
  return order.at(-1)?.direction ?? 'asc'
}

export function neighboursQuery(service: Service, listed: ListedObject) {
  const { objectType, list, record } = listed
  const { filters, unread, text, box, order } = list
  return queryOptions({
    queryKey: [
      'neighbours',
      objectType.rid,
      keyText(record.key),
      filters,
      unread,
      text,
      box,
      order,
    ],
    queryFn: async ({ signal }) => {
      const conditions = conditionsOf(list, listed)
      const find = async (found: readonly Conditions[], terms: readonly QueryTerm[]) => {
        const query = { conditions: found, order: terms }
        return (await readRecords(service, listed, query, { pageSize: 1, signal }))[0]
      }
      const count = async (...counted: readonly (readonly Conditions[])[]) => {
        const aggregations = counted.map((all) => {
          const where = compileWhere(all, OBJECT_SET_SYNTAX)
          return { where, aggregation: [COUNT], groupBy: [] }
        })
        const path = typePathOf(listed)
        const answers = await service.objectSets.aggregateBatch(path, { aggregations }, { signal })
        return answers.map(({ data }) => Number(data[0]?.metrics[0]?.value ?? 0))
      }
      const { primaryKey } = objectType
      const before = [...conditions, besideCondition(objectType, order, record, 'before')]
      const after = [...conditions, besideCondition(objectType, order, record, 'after')]
      const [previous, next, [preceding = 0, total = 0]] = await Promise.all([
        find(before, reverseOrder(order, primaryKey)),
        find(after, order.length === 0 ? [{ property: primaryKey, direction: 'asc' }] : order),
        count(before, conditions),
      ])
      // Positions are counted from 1.
      return { previous, next, position: preceding + 1, total }
    },
  })
}
