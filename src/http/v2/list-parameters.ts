/** The query strings of v2: selection, order and paging. */
import { type Static, Type } from 'typebox'
import { closed, flag } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { checkOrder, parseOrderText } from '../../query/parse/order.ts'
import { EVERYTHING, type OrderTerm } from '../../query/query.ts'
import { type TypePageSpec, typePage } from '../../service/pages/page-spec.ts'
import { OrderParameter, readSelection, SelectionParameter } from '../request/listing-parameters.ts'
import { queryPaging } from '../schemas/paging.ts'

const excludeRid = Type.Optional(flag('If true, objects are returned without `__rid`.'))

/** The query string of an endpoint that returns one object. */
export const RecordParameters = Type.Object({ select: SelectionParameter, excludeRid }, closed)

/** The query string of an endpoint that lists objects. */
export const ListParameters = Type.Object(
  {
    ...queryPaging,
    select: SelectionParameter,
    orderBy: OrderParameter,
    excludeRid,
  },
  closed,
)

/** Returns the page that the list of a type requests. */
export function listPage(
  { ontology, objectType }: Pick<TypePageSpec, 'ontology' | 'objectType'>,
  { select, orderBy, excludeRid = false, ...paging }: Static<typeof ListParameters>,
): TypePageSpec {
  return typePage({
    ontology,
    objectType,
    endpoint: 'listObjects',
    revision: 'v2',
    query: EVERYTHING,
    order: readOrderText(orderBy, objectType),
    selection: readSelection(select, objectType),
    excludeRid,
    paging,
    includeTotalCount: true,
  })
}

/** Parses and checks the order of a query string. */
export function readOrderText(orderBy: string | undefined, objectType: ObjectType): OrderTerm[] {
  return orderBy === undefined ? [] : checkOrder(parseOrderText(orderBy), objectType)
}
