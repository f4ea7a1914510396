/** The query string of a listing: paging, selection, order and filters. */
import { type Static, Type } from 'typebox'
import { documentedWith } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { checkOrder, parseOrderText } from '../../query/parse/order.ts'
import { FILTER, parsePropertyFilters } from '../../query/parse/property-filters.ts'
import { QueryBudget, type QueryLimits } from '../../query/parse/query-budget.ts'
import { EVERYTHING, type OrderTerm, type Query } from '../../query/query.ts'
import { checkSelection, propertyFinder, type Selection } from '../../query/selection.ts'
import { queryFollowing, queryPaging } from '../schemas/paging.ts'

const text = Type.Union([Type.String(), Type.Array(Type.String())])

export const SelectionParameter = Type.Optional(
  Type.Unsafe<string | string[]>({
    ...text,
    description: 'The properties to return: a comma-separated list, or the parameter repeated.',
  }),
)

const ORDER_TERM = '(properties|p)\\.[^:,]+(:(asc|desc)(:nulls(First|Last))?)?'

export const OrderParameter = Type.Optional(
  documentedWith(
    Type.String({
      description:
        'Comma-separated terms `properties.NAME[:asc|:desc[:nullsFirst|:nullsLast]]`, or `p.NAME` for short.',
    }),
    { pattern: `^${ORDER_TERM}(, *${ORDER_TERM})*$` },
  ),
)

export const ListingParameters = Type.Object(
  {
    ...queryPaging,
    properties: SelectionParameter,
    orderBy: OrderParameter,
  },
  {
    additionalProperties: false,
    // Filters: properties.NAME.OPERATOR=VALUE
    patternProperties: { [FILTER.source]: text },
  },
)

export type ListingParameters = Static<typeof ListingParameters>

/** The query string of changes: those of a listing without an order. */
export const FollowingParameters = Type.Object(
  { ...queryFollowing, properties: SelectionParameter },
  { additionalProperties: false, patternProperties: { [FILTER.source]: text } },
)

export interface Listing {
  readonly query: Query
  readonly order: readonly OrderTerm[]
  readonly selection: Selection
}

/** Parses and checks the parameters of a listing. */
export function readListing(
  parameters: ListingParameters,
  objectType: ObjectType,
  limits: QueryLimits,
): Listing {
  const filters = Object.entries(parameters as Record<string, unknown>)
    .filter(([name]) => FILTER.test(name))
    .flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)] as const))
  const hasFilters = filters.length > 0
  return {
    query: hasFilters
      ? parsePropertyFilters(filters, objectType, new QueryBudget(limits))
      : EVERYTHING,
    order: readOrder(parameters.orderBy, objectType),
    selection: readSelection(parameters.properties, objectType),
  }
}

/** Parses and checks an order. Like all property names in a URL, those of an order ignore case. */
export function readOrder(
  orderBy: string | undefined,
  objectType: ObjectType,
): readonly OrderTerm[] {
  if (orderBy === undefined) return []
  const findProperty = propertyFinder(objectType)
  const terms = parseOrderText(orderBy).map((term) => ({
    ...term,
    property: findProperty(term.property) ?? term.property,
  }))
  return checkOrder(terms, objectType)
}

/** Parses and checks a list of properties to return. */
export function readSelection(
  parameter: string | readonly string[] | undefined,
  objectType: ObjectType,
): Selection {
  const findProperty = propertyFinder(objectType)
  const names = selectedNames(parameter).map((name) => findProperty(name) ?? name)
  return checkSelection(names, objectType)
}

/** Returns the names in a list of properties; none if it is absent. */
export function selectedNames(parameter: string | readonly string[] = []): string[] {
  return [parameter].flat().flatMap((names) => names.split(','))
}
