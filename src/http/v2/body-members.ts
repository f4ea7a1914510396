/** The members that request bodies of v2 have in common: order, selection and paging. */
import { type Static, Type } from 'typebox'
import type { ResolvedType } from '../../access/find-visible.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { API_NAME_MAX_LENGTH, ORDER_LIST_MAX, PROPERTIES_MAX } from '../../contract/limits.ts'
import {
  closed,
  documentedAs,
  documentedWith,
  flag,
  namedObject,
  optional,
  text,
} from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { OBJECT_SET_COMPONENT } from '../../query/object-set/parse-object-set.ts'
import { checkOrder, readNulls } from '../../query/parse/order.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import type { QueryLimits } from '../../query/parse/query-budget.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import { SELECTED_PROPERTY_COMPONENT } from '../../query/parse/v2-fields.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-language.ts'
import { EVERYTHING, type OrderTerm, type Query } from '../../query/query.ts'
import { bodyPaging } from '../schemas/paging.ts'
import { queryBody } from '../schemas/query-body.ts'

/** The object set of a request body. Its parser reports mistakes with their path. */
export const ObjectSet = Type.Object({ type: Type.String() }, documentedAs(OBJECT_SET_COMPONENT))

export const orderBy = optional(
  namedObject(
    'OrderBy',
    {
      orderType: optional(
        documentedWith(
          text('`fields`, the default, or `relevance`: how well the text conditions match.'),
          { enum: ['fields', 'relevance', null] },
        ),
      ),
      fields: optional(
        Type.Array(
          namedObject(
            'OrderByField',
            {
              field: documentedWith(text('API name of the property.'), {
                minLength: 1,
              }),
              direction: optional(
                documentedWith(text('`asc` or `desc`'), {
                  enum: ['asc', 'desc', null],
                }),
              ),
              nulls: optional(
                documentedWith(text('`first` or `last`, the default'), {
                  enum: ['first', 'last', null],
                }),
              ),
            },
            closed,
          ),
          { maxItems: ORDER_LIST_MAX, description: 'Empty if ordered by relevance.' },
        ),
      ),
    },
    closed,
  ),
)

/** The conditions of a body; every object matches if absent. */
export const where = optional(queryBody(V2_QUERIES))

/** Parses the conditions of a body. Without an ontology, they cannot follow links. */
export function parseWhere(
  written: Static<typeof where> | undefined,
  type: Pick<ResolvedType, 'objectType'> & Partial<ResolvedType>,
  limits: QueryLimits,
): Query {
  return written == null ? EVERYTHING : parseQuery(V2_QUERIES, written, { ...type, limits })
}

const select = optional(
  Type.Array(documentedWith(Type.String({ maxLength: API_NAME_MAX_LENGTH }), { minLength: 1 }), {
    maxItems: 2 * PROPERTIES_MAX,
    description: 'API names of the properties to return; all if empty or absent.',
  }),
)

const SelectedProperty = Type.Object(
  { type: Type.String() },
  documentedAs(SELECTED_PROPERTY_COMPONENT),
)

const selectV2 = optional(
  Type.Array(SelectedProperty, {
    maxItems: 2 * PROPERTIES_MAX,
    description: 'The properties to return, as identifiers. Excludes `select`.',
  }),
)

const noEffect = 'Has no effect.'

/** Members that SDKs send and that change nothing here. */
export const ignoredMembers = {
  includeComputeUsage: optional(Type.Boolean({ description: noEffect })),
  referenceSigningOptions: optional(
    Type.Object({}, { additionalProperties: true, description: noEffect }),
  ),
}

/** The members of a body that say what records have. */
export const selectionMembers = {
  select,
  selectV2,
  excludeRid: optional(flag('If true, objects are returned without `__rid`.')),
}

/** The members of a body that asks for pages of objects. */
export const pageMembers = {
  orderBy,
  ...selectionMembers,
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
    terms.map(({ field, direction, nulls }) => ({
      property: field,
      direction: direction ?? 'asc',
      nulls: readNulls(nulls),
    })),
    objectType,
  )
  return { order, isByRelevance: false }
}

/** Refuses an order by relevance: scores of different object types cannot be compared. */
export function refuseRelevance({ order, isByRelevance }: PageOrder): PageOrder['order'] {
  if (!isByRelevance) return order
  throw new ObjectQueryError('InvalidOrderType', {
    orderType: 'relevance',
    reason: 'objects of several types cannot be ordered by relevance',
  })
}
