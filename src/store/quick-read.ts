import type { PageRead } from './object-store.ts'
import { isElement } from './sql/query-fields.ts'

/**
 * Whether a page takes no longer than reading its rows, however large the type is: an index has just
 * these rows, one behind the other in the order of the page. Whatever else is asked may have to
 * look at many rows for each that it shows.
 */
export function isQuick({ query, order, objectType, countsMatches, matches }: PageRead): boolean {
  // The index of a property goes on with the key: it knows nothing of a second property.
  if (order.length > 1) return false
  if (query.kind === 'everything') return true
  const mustCount = countsMatches && matches === undefined
  if (mustCount || query.kind !== 'compare' || isElement(objectType, query.field)) return false
  return query.operator === 'eq' ? order.length === 0 : order[0]?.property === query.field.property
}
