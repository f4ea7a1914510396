/** The request for one page of a view, in each API that can express it. */
import type { TypeView } from '../view/type-view.ts'
import type { ApiRequest } from '../api/call.ts'
import type { ApiRevision, OrderTerm, ViewState } from '../view/view-state.ts'
import { DIALECTS, NotExpressible, whereOf } from '../view/where.ts'

export interface PageOptions {
  readonly pageSize: number
  readonly pageToken?: string | undefined
  /** The key after which a walk continues without the token of its last page. */
  readonly after?: string | undefined
}

/** The largest page of revision 2.0. */
const REVISION_2_PAGE = 100

/** Lists without conditions use revision 1.0; everything else needs the language of v2. */
export function chooseRevision(view: ViewState): ApiRevision {
  if (view.revision !== undefined) return view.revision
  const isFiltered = view.filters.length > 0 || view.text !== '' || view.box !== undefined
  return isFiltered ? 'v2' : '1'
}

/** Returns the request for a page. Throws `NotExpressible` if the API cannot express the view. */
export function pageRequest(of: TypeView, revision: ApiRevision, options: PageOptions): ApiRequest {
  const { view, objectType } = of
  if (options.after === undefined) return BUILDERS[revision](of, options)
  const rest = { field: objectType.primaryKey, operator: 'gt', value: options.after } as const
  const filters = [...view.filters, rest]
  return BUILDERS[revision]({ ...of, view: { ...view, filters } }, options)
}

/** True if a walk can continue after a key: its objects come in the order of their keys. */
export function isInKeyOrder({ order }: ViewState): boolean {
  return order.length === 0
}

type Builder = (of: TypeView, options: PageOptions) => ApiRequest

const BUILDERS: Readonly<Record<ApiRevision, Builder>> = {
  '1': (of, { pageSize, pageToken }) => {
    const { view, objectType } = of
    const where = whereOf(view, objectType, DIALECTS['1'])
    const path = `/api/v1/ontologies/${encodeURIComponent(of.ontology.apiName)}/objects/${encodeURIComponent(objectType.apiName)}`
    if (where === undefined) {
      const parameters = new URLSearchParams({ pageSize: String(pageSize) })
      if (view.order.length > 0) parameters.set('orderBy', listedOrder(view.order))
      if (view.isSnapshot) parameters.set('snapshot', 'true')
      if (pageToken !== undefined) parameters.set('pageToken', pageToken)
      return { method: 'GET', path: `${path}?${parameters}` }
    }
    return {
      method: 'POST',
      path: `${path}/search`,
      body: {
        query: where,
        ...searchOrder(view.order, 'properties.'),
        ...(view.isSnapshot && { snapshot: true }),
        pageSize,
        ...(pageToken !== undefined && { pageToken }),
      },
    }
  },
  '2': ({ ontology, objectType, view }, { pageSize, pageToken }) => {
    const [family] = ontology.families ?? []
    if (family === undefined) throw new NotExpressible('an ontology without a family')
    if (view.order.length > 0) throw new NotExpressible('an order')
    return {
      method: 'POST',
      path: `/api/${encodeURIComponent(family)}/v1/objects/types/${encodeURIComponent(objectType.apiName)}/search`,
      body: {
        query: whereOf(view, objectType, DIALECTS['2']) ?? { type: 'empty' },
        ...(view.isSnapshot && { snapshot: true }),
        pageSize: Math.min(pageSize, REVISION_2_PAGE),
        ...(pageToken !== undefined && { pageToken }),
      },
    }
  },
  v2: ({ ontology, objectType, view }, { pageSize, pageToken }) => {
    const where = whereOf(view, objectType, DIALECTS.v2)
    return {
      method: 'POST',
      path: `/api/v2/ontologies/${encodeURIComponent(ontology.apiName)}/objects/${encodeURIComponent(objectType.apiName)}/search`,
      body: {
        ...(where && { where }),
        ...searchOrder(view.order, ''),
        select: [],
        selectV2: [],
        ...(view.isSnapshot && { snapshot: true }),
        pageSize,
        ...(pageToken !== undefined && { pageToken }),
      },
    }
  },
}

function listedOrder(order: readonly OrderTerm[]): string {
  return order.map(({ property, direction }) => `p.${property}:${direction}`).join()
}

function searchOrder(order: readonly OrderTerm[], prefix: string) {
  if (order.length === 0) return {}
  const fields = order.map(({ property, direction }) => ({ field: prefix + property, direction }))
  return { orderBy: { fields } }
}
