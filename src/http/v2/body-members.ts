/** The members that request bodies of v2 have in common: order, selection and paging. */
import { type Static, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { API_NAME_MAX_LENGTH, PROPERTIES_MAX } from '../../contract/limits.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { checkOrder } from '../../query/parse/order.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import type { OrderTerm } from '../../query/query.ts'
import { DOCUMENTED_AS } from '../openapi/query-schemas.ts'
import { PROPERTY_IDENTIFIER_COMPONENT } from '../openapi/v2-query-schemas.ts'
import { closed, orNull } from '../schemas/common.ts'
import { bodyPaging } from '../schemas/paging.ts'

export const orderBy = Type.Optional(
  orNull(
    Type.Object(
      {
        orderType: Type.Optional(
          orNull(
            Type.String({
              description:
                '`fields`, the default, or `relevance`: how well the text conditions match.',
            }),
          ),
        ),
        fields: Type.Optional(
          orNull(
            Type.Array(
              Type.Object(
                {
                  field: Type.String({ description: 'API name of the property.' }),
                  direction: Type.Optional(orNull(Type.String({ description: '`asc` or `desc`' }))),
                },
                closed,
              ),
              { maxItems: 1000, description: 'Empty if ordered by relevance.' },
            ),
          ),
        ),
      },
      closed,
    ),
  ),
)

const select = Type.Optional(
  orNull(
    Type.Array(Type.String({ maxLength: API_NAME_MAX_LENGTH }), {
      maxItems: 2 * PROPERTIES_MAX,
      description: 'API names of the properties to return; all if empty or absent.',
    }),
  ),
)

const PropertyIdentifier = Type.Object(
  { type: Type.String() },
  { additionalProperties: true, [DOCUMENTED_AS]: PROPERTY_IDENTIFIER_COMPONENT },
)

const selectV2 = Type.Optional(
  orNull(
    Type.Array(PropertyIdentifier, {
      maxItems: 2 * PROPERTIES_MAX,
      description: 'The properties to return, as identifiers. Excludes `select`.',
    }),
  ),
)

const noEffect = 'Has no effect.'

/** Members that SDKs send and that change nothing here. */
export const ignoredMembers = {
  includeComputeUsage: Type.Optional(orNull(Type.Boolean({ description: noEffect }))),
  referenceSigningOptions: Type.Optional(
    orNull(Type.Object({}, { additionalProperties: true, description: noEffect })),
  ),
}

/** The members of a body that asks for pages of objects. */
export const pageMembers = {
  orderBy,
  select,
  selectV2,
  excludeRid: Type.Optional(
    orNull(Type.Boolean({ description: 'If true, objects are returned without `__rid`.' })),
  ),
  ...bodyPaging,
  ...ignoredMembers,
}

const OrderBy = Type.Object({ orderBy })
type OrderBy = Static<typeof OrderBy>['orderBy']

/** The order of a page: by properties, or by relevance. */
export interface PageOrder {
  readonly order: readonly OrderTerm[]
  readonly isByRelevance: boolean
}

/** Parses and checks the order of a body. */
export function readOrder(written: OrderBy, objectType: ObjectType): PageOrder {
  const { orderType, fields } = written ?? {}
  const terms = fields ?? []
  if (orderType === 'relevance') {
    if (terms.length > 0) {
      throw unprocessable('orderBy.fields', 'must be empty if the order type is relevance')
    }
    return { order: [], isByRelevance: true }
  }
  if (orderType != null && orderType !== 'fields') {
    throw new ObjectQueryError('InvalidOrderType', { orderType })
  }
  const order = checkOrder(
    terms.map(({ field, direction }) => ({
      property: field,
      direction: direction ?? 'asc',
      nulls: 'nullsLast',
    })),
    objectType,
  )
  return { order, isByRelevance: false }
}
