/** Changes the order of a table when a header is pressed. */
import type { OrderTerm } from '../view/view-state.ts'

export interface RankedTerm extends OrderTerm {
  /** 1 for the term that decides first. */
  readonly rank: number
}

export function orderOf(order: readonly OrderTerm[], property: string): RankedTerm | undefined {
  const index = order.findIndex((term) => term.property === property)
  const term = order[index]
  return term && { ...term, rank: index + 1 }
}

/**
 * The first press orders upwards, the second downwards, the third not at all. A press with Shift
 * keeps the other columns of the order.
 */
export function toggleOrder(
  order: readonly OrderTerm[],
  property: string,
  isAdded: boolean,
): readonly OrderTerm[] {
  const term = orderOf(order, property)
  if (!isAdded && (term === undefined || order.length > 1)) {
    return [{ property, direction: 'asc' }]
  }
  const direction = term === undefined ? 'asc' : 'desc'
  return term?.direction === 'desc'
    ? order.filter((each) => each.property !== property)
    : addTerm(order, { property, direction }, isAdded)
}

/** Orders by a term: in place of all others, or after them. */
export function addTerm(
  order: readonly OrderTerm[],
  term: OrderTerm,
  isAdded: boolean,
): readonly OrderTerm[] {
  if (!isAdded) return [term]
  const index = order.findIndex(({ property }) => property === term.property)
  return index < 0 ? [...order, term] : order.with(index, term)
}
