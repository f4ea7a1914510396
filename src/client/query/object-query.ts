/** Queries on the objects of a type through revision 1.0. */

import { readPage } from '../endpoints/endpoint-group.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { ObjectRecord, TypePath } from '../endpoints/pages.ts'
import type { Aggregation, AggregationResult, Grouping, Metric } from '../types/aggregate.ts'
import type { KeyOf, ObjectTypeShape, PropertyName, Selected } from '../types/property-types.ts'
import { fieldText, type OrderedName } from '../types/struct-paths.ts'
import type { Grammar } from '../types/where.ts'
import { toAggregateRequest, toAggregationResult } from './aggregate-query.ts'
import { compileFilters, compileWhere, SEARCH_SYNTAX } from './compile-where.ts'
import { exportObjects } from './export-objects.ts'
import { revision1PageRequest, toListOptions } from './page-requests.ts'
import { type QuerySource, QueryWalk } from './query-walk.ts'

export const propertiesOf = ({ properties }: ObjectRecord): object => properties

/** Queries that can be sorted and that return selected properties. */
abstract class OrderedQuery<
  Type extends ObjectTypeShape,
  Item,
  G extends Grammar,
> extends QueryWalk<Type, Item, G> {
  /**
   * Sorts by a property or a struct field (`address:city`), after those of earlier calls. Without an
   * order, by primary key.
   */
  orderBy(
    property: OrderedName<Type>,
    direction: 'asc' | 'desc' = 'asc',
    { nulls }: { readonly nulls?: 'first' | 'last' } = {},
  ): this {
    const term = { property: fieldText(property), direction, nulls }
    return this.derive({ order: [...this.spec.order, term] })
  }
}

export class ObjectQuery<Type extends ObjectTypeShape, Item = Type['object']> extends OrderedQuery<
  Type,
  Item,
  'search'
> {
  declare protected readonly source: SearchSource

  /** Returns only these properties, and the primary key. */
  select<Property extends PropertyName<Type>>(
    ...properties: readonly Property[]
  ): ObjectQuery<Type, Selected<Type, Property>> {
    return new ObjectQuery(this.source, { ...this.spec, select: properties })
  }

  /** Returns the object with this key; conditions do not apply. Throws `ObjectNotFound`. */
  async get(key: KeyOf<Type>): Promise<Item> {
    const { endpoints, type } = this.source
    const properties = this.spec.select?.join(',')
    const record = await endpoints.revision1.getObject(type, String(key), { properties }, this.spec)
    return record.properties as Item
  }

  /** Returns the number of matching objects, including those beyond the retrieval limit. */
  async count(): Promise<number> {
    const { totalCount } = await this.source.readPage({ ...this.spec, order: [] }, { pageSize: 1 })
    if (totalCount !== undefined) return Number(totalCount)
    throw this.source.endpoints.connection.invalidResponse('returned a page without totalCount')
  }

  /** Computes metrics over all matching objects, or over each group of them. */
  async aggregate<
    const Metrics extends Readonly<Record<string, Metric<Type>>>,
    const Groups extends readonly Grouping<Type>[] = [],
  >(
    aggregation: Aggregation<Type, Metrics, Groups>,
  ): Promise<AggregationResult<keyof Metrics & string, Groups[number]['field']>> {
    const { endpoints, type } = this.source
    const { conditions } = this.spec
    const response = await endpoints.revision1.aggregateObjects(
      type,
      {
        ...toAggregateRequest(aggregation, SEARCH_SYNTAX.field),
        query: compileWhere(conditions, SEARCH_SYNTAX),
      },
      this.spec,
    )
    return toAggregationResult(response)
  }

  /**
   * Yields all matching objects of one snapshot in key order, without a retrieval limit. Resumes
   * after a lost connection.
   */
  export(): AsyncGenerator<Item, void, undefined> {
    const { endpoints, type } = this.source
    if (this.spec.order.length > 0) throw new TypeError('an export cannot be sorted')
    const where = compileWhere(this.spec.conditions, SEARCH_SYNTAX)
    const { select, signal } = this.spec
    return exportObjects<Item>(endpoints, type, { where, select, signal })
  }
}

interface SearchSource extends QuerySource<ObjectRecord> {
  readonly endpoints: Endpoints
  readonly type: TypePath
}

export function searchSource(endpoints: Endpoints, type: TypePath): SearchSource {
  const { connection } = endpoints
  return {
    endpoints,
    type,
    toObject: propertiesOf,
    readPage: (spec, paging) => {
      const request = revision1PageRequest(type, spec, paging)
      return readPage(connection, { ...request, signal: spec.signal })
    },
  }
}

/** The objects that a link leads to from one object. */
export class LinkedQuery<Type extends ObjectTypeShape, Item = Type['object']> extends OrderedQuery<
  Type,
  Item,
  'filters'
> {
  /** Returns only these properties, and the primary key. */
  select<Property extends PropertyName<Type>>(
    ...properties: readonly Property[]
  ): LinkedQuery<Type, Selected<Type, Property>> {
    return new LinkedQuery(this.source, { ...this.spec, select: properties })
  }
}

export function linkedSource(
  { revision1 }: Endpoints,
  link: TypePath & { readonly primaryKey: string; readonly linkType: string },
): QuerySource<ObjectRecord> {
  return {
    toObject: propertiesOf,
    readPage: (spec, paging) => {
      const filters = compileFilters(spec.conditions)
      return revision1.listLinkedObjects(link, { ...toListOptions(spec, paging), filters }, spec)
    },
  }
}
