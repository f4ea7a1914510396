/** Compiles a query to the request for one of its pages, for each endpoint that pages objects. */
import type { ServiceRequest } from '../connection.ts'
import { objectSearchRequest } from '../endpoints/object-sets.ts'
import type { PageOptions, TypePath } from '../endpoints/pages.ts'
import { listRequest, searchRequest } from '../endpoints/revision-1.ts'
import { familySearchRequest } from '../endpoints/revision-2.ts'
import {
  type Conditions,
  compileWhere,
  FAMILY_SYNTAX,
  OBJECT_SET_SYNTAX,
  SEARCH_SYNTAX,
  type WhereSyntax,
} from './compile-where.ts'

export interface OrderTerm {
  readonly property: string
  readonly direction: 'asc' | 'desc'
  readonly nulls?: 'first' | 'last' | undefined
}

/** Which objects a page has, in which order, and with which properties. */
export interface PageQuery {
  readonly conditions: readonly Conditions[]
  readonly order: readonly OrderTerm[]
  /** All properties if undefined. */
  readonly select?: readonly string[] | undefined
}

/** Revision 1.0: without conditions the objects are listed, otherwise they are searched. */
export function revision1PageRequest(
  type: TypePath,
  { conditions, order, select }: PageQuery,
  paging: PageOptions,
): ServiceRequest {
  const query = compileWhere(conditions, SEARCH_SYNTAX)
  return query === undefined
    ? listRequest(type, toListOptions({ order, select }, paging))
    : searchRequest(type, {
        query,
        orderBy: orderFields(order, SEARCH_SYNTAX),
        fields: select,
        ...paging,
      })
}

/** Revision 2.0, which cannot order. */
export function familyPageRequest(
  { family, objectType }: { readonly family: string; readonly objectType: string },
  conditions: readonly Conditions[],
  paging: PageOptions,
): ServiceRequest {
  const query = compileWhere(conditions, FAMILY_SYNTAX) ?? { type: 'empty' }
  return familySearchRequest(family, objectType, { query, ...paging })
}

/** The search of v2, for the objects of one type. */
export function v2PageRequest(
  type: TypePath,
  { conditions, order, select = [] }: PageQuery,
  paging: PageOptions & { readonly excludeRid?: boolean },
): ServiceRequest {
  return objectSearchRequest(type, {
    where: compileWhere(conditions, OBJECT_SET_SYNTAX),
    orderBy: orderFields(order, OBJECT_SET_SYNTAX),
    select,
    selectV2: [],
    ...paging,
  })
}

/** Returns the order in the body of a search; undefined if there is none. */
export function orderFields(order: readonly OrderTerm[], { field }: WhereSyntax) {
  if (order.length === 0) return undefined
  const fields = order.map(({ property, direction, nulls }) => ({
    ...field(property),
    direction,
    nulls,
  }))
  return { fields }
}

/** Returns the options of a list, which its query string has. */
export function toListOptions(
  { order, select }: Pick<PageQuery, 'order' | 'select'>,
  paging: PageOptions,
) {
  const orderBy = order.map(orderText).join(',')
  return {
    ...paging,
    properties: select?.join(','),
    orderBy: orderBy === '' ? undefined : orderBy,
  }
}

const NULLS: Readonly<Record<string, string>> = { first: 'nullsFirst', last: 'nullsLast' }

function orderText({ property, direction, nulls }: OrderTerm): string {
  const position = nulls === undefined ? [] : [NULLS[nulls] ?? nulls]
  return [`properties.${property}`, direction, ...position].join(':')
}
