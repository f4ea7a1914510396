/** The query strings of v2: selection, order and paging. */
import { Type } from 'typebox'
import type { ObjectType } from '../../ontology/ontology.ts'
import { checkOrder, parseOrderText } from '../../query/parse/order.ts'
import type { OrderTerm } from '../../query/query.ts'
import { OrderParameter, SelectionParameter } from '../page/listing-parameters.ts'
import { queryPaging } from '../schemas/paging.ts'
import { v2Parameters } from '../schemas/v2-parameters.ts'

const excludeRid = Type.Optional(
  Type.Boolean({ description: 'If true, objects are returned without `__rid`.' }),
)

/** The query string of an endpoint that returns one object. */
export const RecordParameters = v2Parameters({ select: SelectionParameter, excludeRid })

/** The query string of an endpoint that lists objects. */
export const ListParameters = v2Parameters({
  ...queryPaging,
  select: SelectionParameter,
  orderBy: OrderParameter,
  excludeRid,
})

/** Parses and checks the order of a query string. */
export function readOrderText(orderBy: string | undefined, objectType: ObjectType): OrderTerm[] {
  return orderBy === undefined ? [] : checkOrder(parseOrderText(orderBy), objectType)
}
