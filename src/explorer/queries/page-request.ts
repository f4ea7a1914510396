/** The request for one page of a view. */
import type { ServiceRequest } from '../../client/connection.ts'
import { type OrderTerm, v2PageRequest } from '../../client/query/page-requests.ts'
import { conditionsOf } from '../view/compile-filters.ts'
import { type TypeView, typePathOf } from '../view/type-view.ts'
import type { ViewState } from '../view/view-state.ts'

export interface PageOptions {
  readonly pageSize: number
  readonly pageToken?: string | undefined
  /** True for a walk from the last object to the first. */
  readonly isReversed?: boolean
}

/**
 * Returns the order of the same objects from the last to the first. Missing values come last unless an
 * order says otherwise; equal values are ordered by key, in the direction of the last term.
 */
export function reverseOrder(order: ViewState['order'], primaryKey: string): readonly OrderTerm[] {
  if (order.length === 0) return [{ property: primaryKey, direction: 'desc' }]
  return order.map(({ property, direction }) => ({
    property,
    direction: direction === 'asc' ? 'desc' : 'asc',
    nulls: 'first',
  }))
}

export function pageRequest(
  of: TypeView,
  { pageSize, pageToken, isReversed = false }: PageOptions,
): ServiceRequest {
  const { objectType, view } = of
  const order = isReversed ? reverseOrder(view.order, objectType.primaryKey) : view.order
  const query = { conditions: conditionsOf(view, of), order }
  const paging = { snapshot: view.isSnapshot || undefined, excludeRid: true, pageSize, pageToken }
  return v2PageRequest(typePathOf(of), query, paging)
}
