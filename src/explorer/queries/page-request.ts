/** The request for one page of a view, in each API that can express it. */
import type { ServiceRequest } from '../../client/connection.ts'
import {
  familyPageRequest,
  type OrderTerm,
  revision1PageRequest,
  v2PageRequest,
} from '../../client/query/page-requests.ts'
import { conditionsOf, NotExpressible } from '../view/compile-filters.ts'
import { type TypeView, typePathOf } from '../view/type-view.ts'
import type { ApiRevision, ViewState } from '../view/view-state.ts'

export interface PageOptions {
  readonly pageSize: number
  readonly pageToken?: string | undefined
  /** The key after which a walk continues without the token of its last page. */
  readonly after?: string | undefined
  /** True for a walk from the last object to the first. */
  readonly isReversed?: boolean
}

/** The largest page of revision 2.0. */
const REVISION_2_PAGE = 100

/** Lists without conditions use revision 1.0; everything else needs the language of v2. */
export function chooseRevision(view: ViewState): ApiRevision {
  if (view.revision !== undefined) return view.revision
  const isFiltered = view.filters.length > 0 || view.text !== '' || view.box !== undefined
  return isFiltered ? 'v2' : '1'
}

/** True if a walk can continue after a key: its objects come in the order of their keys. */
export function isInKeyOrder({ order }: ViewState): boolean {
  return order.length === 0
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

/** Returns the request for a page. Throws `NotExpressible` if the API cannot express the view. */
export function pageRequest(
  of: TypeView,
  revision: ApiRevision,
  { pageSize, pageToken, after, isReversed = false }: PageOptions,
): ServiceRequest {
  const { ontology, objectType, view } = of
  const order = isReversed ? reverseOrder(view.order, objectType.primaryKey) : view.order
  const rest = { field: objectType.primaryKey, operator: 'gt', value: after ?? '' } as const
  const filters = after === undefined ? view.filters : [...view.filters, rest]
  const conditions = conditionsOf({ ...view, filters }, of, revision)
  const paging = { snapshot: view.isSnapshot || undefined, pageSize, pageToken }
  if (revision === '1') return revision1PageRequest(typePathOf(of), { conditions, order }, paging)
  if (revision === 'v2') return v2PageRequest(typePathOf(of), { conditions, order }, paging)
  const [family] = ontology.families ?? []
  if (family === undefined) throw new NotExpressible('an ontology without a family')
  if (order.length > 0) throw new NotExpressible('an order')
  return familyPageRequest({ family, objectType: objectType.apiName }, conditions, {
    ...paging,
    pageSize: Math.min(pageSize, REVISION_2_PAGE),
  })
}
