/**
 * Links that show one view to somebody without a token: an API token that a policy limits to the
 * objects and properties of the view. It is in the fragment of the address, which browsers do not send.
 */
import type { ServiceRequest } from '../../client/connection.ts'
import { LINK_POLICY_PREFIX } from '../../contract/link-policy.ts'
import { screenPath } from '../api/base-path.ts'
import { whereOf } from '../view/compile-filters.ts'
import { followsLinks, type TypeView } from '../view/type-view.ts'
import { toSearch } from '../view/view-state.ts'

export interface ViewLink {
  readonly name: string
  /** The name of the person who creates it, for others who find it. */
  readonly createdBy: string
  readonly days: number
}

/** Returns the properties that a link shows; undefined if it shows all. */
export function shownProperties({ objectType, view }: TypeView): readonly string[] | undefined {
  if (view.columns === undefined) return undefined
  const { primaryKey, titleProperty } = objectType
  const { chart } = view
  const paths = [view.colour, chart?.measure.of, ...(chart?.by.map(({ path }) => path) ?? [])]
  const names = [
    primaryKey,
    titleProperty,
    ...view.columns,
    ...view.order.map(({ property }) => property),
    ...paths.map((path) => path?.split('/')[0]),
  ]
  return [...new Set(names.filter((name) => name !== undefined))]
}

/**
 * Returns the requests that create a link: its policy, then its token. Throws if a rule cannot select
 * the objects of the view.
 */
export function linkRequests(
  of: TypeView,
  { name, createdBy, days }: ViewLink,
  id: string,
): readonly [policy: ServiceRequest, token: ServiceRequest] {
  const { ontology, objectType } = of
  // A rule may not depend on objects of another type.
  if (followsLinks(of)) throw new Error('A read-only link cannot have a filter across a link.')
  const where = whereOf(of)
  const shown = shownProperties(of)
  const hide = Object.keys(objectType.properties).filter((each) => shown?.includes(each) === false)
  const right = {
    ontology: ontology.rid,
    objectType: objectType.apiName,
    access: 'read',
    ...(where && { where }),
    ...(hide.length > 0 && { hide }),
  }
  const policy = LINK_POLICY_PREFIX + id
  const description = `A read-only link by ${createdBy}: ${name}`
  return [
    {
      method: 'PUT',
      path: `/api/admin/v1/policies/${encodeURIComponent(policy)}`,
      json: { description, rights: [right] },
    },
    {
      method: 'POST',
      path: '/api/admin/v1/tokens',
      json: {
        name: `Link by ${createdBy}: ${name}`,
        scopes: ['api:ontologies-read'],
        ontologies: [ontology.rid],
        policies: [policy],
        days,
      },
    },
  ]
}

/**
 * Returns the address of a link. The rule has the filters, so the address does not repeat them. The
 * reader sees no other objects, so a chart compares with none.
 */
export function linkAddress({ ontology, objectType, view }: TypeView, token: string): string {
  const chart = view.chart && { ...view.chart, against: undefined }
  const rest = {
    ...view,
    chart,
    filters: [],
    text: '',
    box: undefined,
    unread: [],
    peek: undefined,
    trail: [],
  }
  const search = toSearch(rest).toString()
  const path = screenPath(ontology.apiName, objectType.apiName)
  return `${path}${search === '' ? '' : `?${search}`}#link=${token}`
}
