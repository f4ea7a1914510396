/** The queries and orders of the simulation: as a model evaluates them, and as clients write them. */
import type { Key, Objects, SimObject } from './model.ts'
import type { Random } from './random.ts'

export interface Condition {
  readonly property: 'n' | 's' | 'tags'
  readonly operator: 'eq' | 'gt' | 'lte' | 'contains'
  readonly value: string | number
}

export interface OrderTerm {
  readonly property: 'n' | 's'
  readonly direction: 'asc' | 'desc'
}

/** The endpoints that return pages of one type. */
const SURFACES = ['list 1.0', 'search 1.0', 'search 2.0', 'list v2', 'search v2', 'set v2'] as const
type Surface = (typeof SURFACES)[number]

/** Everything in a request that must stay the same during a walk. */
export interface WalkSpec {
  readonly surface: Surface
  readonly objectType: string
  /** All of them must hold. */
  readonly conditions: readonly Condition[]
  readonly order: readonly OrderTerm[]
  readonly snapshot: boolean
}

export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export const WORDS = ['ash', 'elm', 'fir', 'oak'] as const

export function randomSpec(random: Random, objectType: string): WalkSpec {
  const surface = random.pick(SURFACES)
  const snapshot = random.chance(0.5)
  const hasOrder = surface !== 'search 2.0' && random.chance(0.5)
  return {
    surface,
    objectType,
    conditions: surface === 'list v2' ? [] : randomConditions(random, surface),
    order: hasOrder ? randomOrder(random) : [],
    snapshot,
  }
}

function randomConditions(random: Random, surface: Surface): Condition[] {
  const min = surface === 'search 1.0' ? 1 : 0
  const { below } = { below: random.below(4) }
  const count = Math.max(min, [0, 0, 1, 2][below] ?? 0)
  const numbers: Condition = {
    property: 'n',
    operator: random.pick(['eq', 'gt', 'lte']),
    value: random.below(6),
  }
  const texts: Condition = { property: 's', operator: 'eq', value: random.pick(WORDS) }
  const tags: Condition = { property: 'tags', operator: 'contains', value: random.pick(WORDS) }
  // Revision 2.0 has no query on elements.
  const choices = surface === 'search 2.0' ? [numbers, texts] : [numbers, texts, tags]
  const first = random.below(choices.length)
  return Array.from({ length: count }, (_, at) => choices[(first + at) % choices.length] ?? numbers)
}

function randomOrder(random: Random): OrderTerm[] {
  const properties = random.pick([['n'], ['s'], ['s', 'n'], ['n', 's']] as const)
  return properties.map((property) => ({ property, direction: random.pick(['asc', 'desc']) }))
}

/** Returns the matches in the order of the walk: nulls last, ties by key like the last term. */
export function matchesOf(
  objects: Objects,
  { conditions, order }: Pick<WalkSpec, 'conditions' | 'order'>,
): SimObject[] {
  return [...objects.values()]
    .filter((object) => conditions.every((condition) => matches(object, condition)))
    .sort((a, b) => compare(a, b, order))
}

export function matches(object: SimObject, { property, operator, value }: Condition): boolean {
  if (operator === 'contains') return object.tags?.includes(String(value)) ?? false
  const own = property === 'n' ? object.n : object.s
  if (own === undefined) return false
  if (operator === 'eq') return own === value
  return operator === 'gt' ? own > value : own <= value
}

export function compare(a: SimObject, b: SimObject, order: readonly OrderTerm[]): number {
  for (const { property, direction } of order) {
    const [x, y] = [a[property], b[property]]
    if (x === y) continue
    if (x === undefined) return 1
    if (y === undefined) return -1
    return (x < y ? -1 : 1) * (direction === 'asc' ? 1 : -1)
  }
  return compareKeys(a.k, b.k) * (order.at(-1)?.direction === 'desc' ? -1 : 1)
}

function compareKeys(a: Key, b: Key): number {
  return a === b ? 0 : a < b ? -1 : 1
}

export interface PagePart {
  readonly pageSize: number
  readonly pageToken: string | undefined
}

/** Writes the request of a page, each endpoint in its own syntax. */
export function pageRequest(spec: WalkSpec, ontology: string, page: PagePart): HttpRequest {
  const { surface, objectType, snapshot } = spec
  const where = combined(spec.conditions, surface === 'search 1.0' ? 'properties.' : '')
  const orderBy = orderBody(spec.order, surface === 'search 1.0' ? 'properties.' : '')
  const body = { ...page, ...(snapshot ? { snapshot } : {}) }
  switch (surface) {
    case 'list 1.0':
      return { method: 'GET', path: listPath(`/api/v1/ontologies/${ontology}`, spec, page) }
    case 'list v2':
      return { method: 'GET', path: listPath(`/api/v2/ontologies/${ontology}`, spec, page) }
    case 'search 1.0': {
      const path = `/api/v1/ontologies/${ontology}/objects/${objectType}/search`
      return post(path, { query: where, orderBy, ...body })
    }
    case 'search 2.0': {
      const path = `/api/${ontology}/v1/objects/types/${objectType}/search`
      return post(path, { query: where ?? { type: 'empty' }, ...body })
    }
    case 'search v2': {
      const path = `/api/v2/ontologies/${ontology}/objects/${objectType}/search`
      return post(path, { where, orderBy, ...body })
    }
    case 'set v2': {
      const base = { type: 'base', objectType }
      const objectSet = where === undefined ? base : { type: 'filter', objectSet: base, where }
      return post(`/api/v2/ontologies/${ontology}/objectSets/loadObjects`, {
        objectSet,
        orderBy,
        ...body,
      })
    }
  }
}

export function post(path: string, body: unknown): HttpRequest {
  return { method: 'POST', path, contentType: 'application/json', body: JSON.stringify(body) }
}

/** Writes conditions as a query in JSON; undefined if there are none. */
export function combined(conditions: readonly Condition[], prefix: string): object | undefined {
  const queries = conditions.map(({ property, operator, value }) => ({
    type: operator,
    field: prefix + property,
    value,
  }))
  return queries.length > 1 ? { type: 'and', value: queries } : queries[0]
}

function orderBody(order: readonly OrderTerm[], prefix: string): object | undefined {
  if (order.length === 0) return undefined
  return {
    fields: order.map(({ property, direction }) => ({ field: prefix + property, direction })),
  }
}

function listPath(ontology: string, spec: WalkSpec, { pageSize, pageToken }: PagePart): string {
  const query = new URLSearchParams({ pageSize: String(pageSize) })
  for (const { property, operator, value } of spec.conditions) {
    query.set(`p.${property}.${operator}`, String(value))
  }
  const terms = spec.order.map(({ property, direction }) => `p.${property}:${direction}`)
  if (terms.length > 0) query.set('orderBy', terms.join(','))
  if (spec.snapshot) query.set('snapshot', 'true')
  if (pageToken !== undefined) query.set('pageToken', pageToken)
  return `${ontology}/objects/${spec.objectType}?${query}`
}
