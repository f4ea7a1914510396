/** Object sets of v2: filters, unions, intersections, differences and links, without a limit. */
import { segment } from '../addresses.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { ChangesRequest, ObjectSetDefinition } from '../endpoints/object-sets.ts'
import type { FlatRecord, TypePath } from '../endpoints/pages.ts'
import type { Aggregation, AggregationResult, Grouping, Metric } from '../types/aggregate.ts'
import type {
  KeyOf,
  Names,
  ObjectTypeShape,
  OntologyShape,
  PropertyName,
  Selected,
  UntypedObject,
  UntypedOntology,
} from '../types/property-types.ts'
import { fieldText, type OrderedName } from '../types/struct-paths.ts'
import { toAggregateRequest, toAggregationResult } from './aggregate-query.ts'
import { type Conditions, compileWhere, OBJECT_SET_SYNTAX } from './compile-where.ts'
import { type FollowedPage, type FollowOptions, followChanges } from './follow-changes.ts'
import { orderFields } from './page-requests.ts'
import { type QuerySource, type QuerySpec, QueryWalk } from './query-walk.ts'

/** What v2 adds to the properties of an object. */
export interface ObjectMetadata {
  readonly __primaryKey: unknown
  readonly __apiName: string
  readonly __rid?: string
  readonly __title?: string
}

/** A link of a type, and the type that it leads to. */
export type LinkName<Type extends ObjectTypeShape> = keyof Type['links'] & string

export type LinkedType<
  Ontology extends OntologyShape<Ontology>,
  Type extends ObjectTypeShape,
  Link extends string,
> =
  Type['links'] extends Record<Link, infer Target extends Names<Ontology>>
    ? Ontology[Target]
    : never

export class ObjectSetQuery<
  Ontology extends OntologyShape<Ontology>,
  Type extends ObjectTypeShape,
  Item = Type['object'] & ObjectMetadata,
> extends QueryWalk<Type, Item, 'objectSet'> {
  declare protected readonly source: ObjectSetSource

  /** The set as v2 describes it, with the conditions of this query. */
  get definition(): ObjectSetDefinition {
    return filtered(this.source.objectSet, this.spec.conditions)
  }

  /**
   * Sorts by a property or a struct field (`address:city`), after those of earlier calls. Without an
   * order, by primary key.
   */
  orderBy(property: OrderedName<Type>, direction: 'asc' | 'desc' = 'asc'): this {
    const term = { property: fieldText(property), direction }
    return this.derive({ order: [...this.spec.order, term] })
  }

  /** Returns only these properties, and the primary key. */
  select<Property extends PropertyName<Type>>(
    ...properties: readonly Property[]
  ): ObjectSetQuery<Ontology, Type, Selected<Type, Property> & ObjectMetadata> {
    return new ObjectSetQuery(this.source, { ...this.spec, select: properties })
  }

  /** The objects that are in this set or in one of the others. */
  union(...others: readonly AnySet<Ontology, Type>[]): this {
    return this.#combine('union', others)
  }

  /** The objects that are in this set and in all others. */
  intersect(...others: readonly AnySet<Ontology, Type>[]): this {
    return this.#combine('intersect', others)
  }

  /** The objects that are in this set and in none of the others. */
  subtract(...others: readonly AnySet<Ontology, Type>[]): this {
    return this.#combine('subtract', others)
  }

  /** The objects that a link leads to from the objects of this set. */
  pivotTo<Link extends LinkName<Type>>(
    link: Link,
  ): ObjectSetQuery<Ontology, LinkedType<Ontology, Type, Link>> {
    const objectSet = { type: 'searchAround', objectSet: this.definition, link }
    const { endpoints, ontology } = this.source
    return new ObjectSetQuery(objectSetSource(endpoints, ontology, objectSet), {
      ...this.spec,
      conditions: [],
      order: [],
      select: undefined,
    })
  }

  /** Returns the object with this key. Throws `ObjectNotFound`. */
  async get(key: KeyOf<Type>): Promise<Item> {
    const { connection } = this.source.endpoints
    const { objectSet, ontology } = this.source
    const path = [ontology, 'objects', String(objectSet['objectType']), String(key)]
    if (objectSet.type !== 'base') throw new TypeError('only a whole object type has keys')
    return connection.send({
      signal: this.spec.signal,
      path: `/api/v2/ontologies/${path.map(segment).join('/')}`,
      query: { select: this.spec.select },
    })
  }

  /**
   * Yields the objects of a snapshot, then what changes, page by page and without end: an object that
   * leaves the set comes as a delete. Store the `nextChangesToken` of each page with its changes.
   */
  follow(options: FollowOptions = {}): AsyncGenerator<FollowedPage<Item>, void, undefined> {
    const { endpoints, ontology, readPage } = this.source
    const { order, pageSize, select = [], signal } = this.spec
    if (order.length > 0) throw new TypeError('changes cannot be sorted')
    const objectSet = this.definition
    const source = {
      connection: endpoints.connection,
      readSnapshot: (pageToken: string | undefined) =>
        readPage(this.spec, { pageSize, pageToken, snapshot: true }),
      readChanges: (request: Pick<ChangesRequest, 'since' | 'pageToken' | 'wait'>) =>
        endpoints.objectSets.loadChanges(
          ontology,
          { objectSet, select, pageSize, ...request },
          { signal },
        ),
    }
    return followChanges(source, options) as AsyncGenerator<FollowedPage<Item>, void, undefined>
  }

  async count(): Promise<number> {
    const { data } = await this.aggregate({ metrics: { count: { type: 'count' } } })
    return Number(data[0]?.metrics.count ?? 0)
  }

  /** Computes metrics over all objects of the set, or over each group of them. */
  async aggregate<
    const Metrics extends Readonly<Record<string, Metric<Type, 'objectSet'>>>,
    const Groups extends readonly Grouping<Type, 'objectSet'>[] = [],
  >(
    aggregation: Aggregation<Type, Metrics, Groups, 'objectSet'>,
  ): Promise<AggregationResult<keyof Metrics & string, Groups[number]['field']>> {
    const { endpoints, ontology } = this.source
    const request = {
      objectSet: this.definition,
      ...toAggregateRequest(aggregation, OBJECT_SET_SYNTAX.field),
    }
    const response = await endpoints.objectSets.aggregate(ontology, request, this.spec)
    return toAggregationResult(response)
  }

  /** Stores the set for an hour; returns its RID, which other clients can use. */
  createTemporary(): Promise<string> {
    const { endpoints, ontology } = this.source
    return endpoints.objectSets.createTemporary(ontology, this.definition, this.spec)
  }

  #combine(
    type: 'union' | 'intersect' | 'subtract',
    others: readonly AnySet<Ontology, Type>[],
  ): this {
    const objectSets = [this.definition, ...others.map(({ definition }) => definition)]
    const { endpoints, ontology } = this.source
    const source = objectSetSource(endpoints, ontology, { type, objectSets })
    const Query = this.constructor as new (source: ObjectSetSource, spec: QuerySpec) => this
    return new Query(source, { ...this.spec, conditions: [] })
  }
}

/** Another set of the same type, whatever it selects. */
type AnySet<
  Ontology extends OntologyShape<Ontology>,
  Type extends ObjectTypeShape,
> = ObjectSetQuery<Ontology, Type, unknown>

interface ObjectSetSource extends QuerySource<FlatRecord> {
  readonly endpoints: Endpoints
  readonly ontology: string
  readonly objectSet: ObjectSetDefinition
}

export function objectSetSource(
  endpoints: Endpoints,
  ontology: string,
  objectSet: ObjectSetDefinition,
): ObjectSetSource {
  return {
    endpoints,
    ontology,
    objectSet,
    toObject: (record) => record,
    readPage: ({ conditions, order, select = [], signal }, paging) =>
      endpoints.objectSets.loadObjects(
        ontology,
        {
          objectSet: filtered(objectSet, conditions),
          orderBy: orderFields(order, OBJECT_SET_SYNTAX),
          select,
          ...paging,
        },
        { signal },
      ),
  }
}

/** Follows the objects of a type whose shape is known only at run time. */
export function followType(
  endpoints: Endpoints,
  { ontology, objectType }: TypePath,
  query: Partial<Pick<QuerySpec, 'conditions' | 'select' | 'pageSize' | 'signal'>>,
  options: FollowOptions,
): AsyncGenerator<FollowedPage<FlatRecord>, void, undefined> {
  const source = objectSetSource(endpoints, ontology, { type: 'base', objectType })
  const spec = {
    conditions: [],
    order: [],
    select: undefined,
    onExpired: 'throw',
    ...query,
  } as const
  return new ObjectSetQuery<UntypedOntology, UntypedObject, FlatRecord>(source, spec).follow(
    options,
  )
}

function filtered(
  objectSet: ObjectSetDefinition,
  conditions: readonly Conditions[],
): ObjectSetDefinition {
  const where = compileWhere(conditions, OBJECT_SET_SYNTAX)
  return where === undefined ? objectSet : { type: 'filter', objectSet, where }
}
