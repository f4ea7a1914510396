/** What the endpoints of v2 have in common: parameters that SDKs send, and the ways to select. */
import { type TSchema, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { checkOrder, parseOrderText } from '../../query/parse/order.ts'
import type { OrderTerm } from '../../query/query.ts'
import { OrderParameter, SelectionParameter } from '../page/listing-parameters.ts'
import { documentedWith } from '../schemas/documented.ts'
import { queryPaging } from '../schemas/paging.ts'

/**
 * Query parameters that SDKs send and that change nothing here. `preview` is required by the public
 * API for some endpoints; this service offers them without it. There is only one branch, so
 * `refuseBranch` rejects the name of any other.
 */
const ignoredParameters = {
  preview: Type.Optional(Type.Boolean({ description: 'Has no effect.' })),
  sdkPackageRid: Type.Optional(Type.String({ description: 'Has no effect.' })),
  sdkVersion: Type.Optional(Type.String({ description: 'Has no effect.' })),
  branch: Type.Optional(
    documentedWith(Type.String({ description: 'Must be empty: there are no branches.' }), {
      maxLength: 0,
    }),
  ),
  executeInMemoryOnly: Type.Optional(Type.Boolean({ description: 'Has no effect.' })),
}

/** The query string of an endpoint without parameters of its own. */
export const V2Parameters = v2Parameters({})

/** Returns the query string of an endpoint with the given parameters. */
export function v2Parameters<T extends Record<string, TSchema>>(parameters: T) {
  return Type.Object({ ...parameters, ...ignoredParameters }, { additionalProperties: false })
}

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

/** Rejects requests that name a branch. */
export function refuseBranch(query: unknown): void {
  const { branch } = query as { readonly branch?: string }
  if (branch !== undefined && branch !== '') {
    throw new ObjectQueryError('FoundryBranchNotFound', { branch })
  }
}
