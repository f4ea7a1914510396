/** Random requests to every endpoint that reads. They also name types and properties that are hidden. */
import fc from 'fast-check'
import { keyOf, propertiesOf, TYPES } from './rights-arbitraries.ts'
import { OBJECTS } from './rights-world.ts'

export interface ReadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Record<string, unknown>
  /** Whether all pages are read, with the page token in the query string or in the body. */
  readonly walks: boolean
}

/** The links by the types that they lead from and to. */
const LINKS = [
  { from: 'employee', link: 'manager', to: 'employee' },
  { from: 'employee', link: 'reports', to: 'employee' },
  { from: 'employee', link: 'team', to: 'team' },
  { from: 'team', link: 'members', to: 'employee' },
  { from: 'team', link: 'office', to: 'office' },
  { from: 'office', link: 'teams', to: 'team' },
] as const

/** Mostly the first, so that most requests succeed. */
const mostly = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 14, arbitrary: usual }, { weight: 1, arbitrary: unusual })

const types = mostly(fc.constantFrom(...TYPES), fc.constant('nosuch'))
const words = fc.constantFrom('red', 'green', 'blue', 'old', 'new', 'team', 'red blue', 'ne')
const sizes = fc.constantFrom(2, 4, 9, 40)

/** The values that arbitraries of one object type choose from. */
class TypeRequests {
  readonly type: string
  readonly properties: fc.Arbitrary<string>
  readonly keys: fc.Arbitrary<string>
  readonly links: fc.Arbitrary<string>

  constructor(type: string) {
    this.type = type
    const own = propertiesOf(type)
    const rows = OBJECTS.get(type) ?? []
    const links = LINKS.filter(({ from }) => from === type).map(({ link }) => link)
    this.properties = mostly(fc.constantFrom(...own, 'id'), fc.constantFrom('nosuch', 'salary'))
    this.keys = mostly(
      fc.constantFrom('1', ...rows.map((row) => String(row[keyOf(type)]))),
      fc.constant('x'),
    )
    this.links = mostly(fc.constantFrom('manager', ...links), fc.constant('nosuch'))
  }

  valuesOf(property: string): fc.Arbitrary<unknown> {
    const values = (OBJECTS.get(this.type) ?? []).flatMap((row) => row[property])
    const found = values.filter((value) => value !== undefined && typeof value !== 'object')
    return found.length === 0 ? fc.constant('x') : fc.constantFrom(...found)
  }

  /** Conditions of a revision, whose field names have a prefix. */
  #conditions(prefix: string, more: (field: string) => fc.Arbitrary<object>): fc.Arbitrary<object> {
    return fc.letrec<{ one: object }>((tie) => ({
      one: fc.oneof(
        { maxDepth: 2 },
        this.properties.chain((property) =>
          fc.oneof(
            fc
              .tuple(fc.constantFrom('eq', 'eq', 'lt', 'gte'), this.valuesOf(property))
              .map(([type, value]) => ({ type, field: prefix + property, value })),
            more(prefix + property),
          ),
        ),
        fc
          .tuple(fc.constantFrom('and', 'or'), fc.array(tie('one'), { minLength: 1, maxLength: 2 }))
          .map(([type, value]) => ({ type, value })),
        tie('one').map((value) => ({ type: 'not', value })),
      ),
    })).one
  }

  get whereV2(): fc.Arbitrary<object> {
    const text = fc.constantFrom('containsAllTerms', 'containsAnyTerm', 'startsWith')
    return this.#conditions('', (field) =>
      fc.oneof(
        isNull(field),
        fc.tuple(text, words).map(([type, value]) => ({ type, field: textOf(this.type), value })),
        fc.constant({ type: 'contains', field: 'skills', value: 'red' }),
        fc.constant({ type: 'withinBoundingBox', field: pointOf(this.type), value: BOX }),
        fc.constant({ type: 'wildcard', field, value: '*e*' }),
        fc
          .array(this.keys, { minLength: 1, maxLength: 5 })
          .map((value) => ({ type: 'in', field: keyOf(this.type), value: value.map(this.#toKey) })),
      ),
    )
  }

  readonly #toKey = (text: string): unknown => (this.type === 'team' ? Number(text) : text)

  get query1(): fc.Arbitrary<object> {
    const text = fc.constantFrom('anyTerm', 'allTerms', 'phrase', 'prefix')
    const field = `properties.${textOf(this.type)}`
    return this.#conditions('properties.', (name) =>
      fc.oneof(
        isNull(name),
        fc.tuple(text, words).map(([type, value]) => ({ type, field, value })),
      ),
    )
  }

  get query2(): fc.Arbitrary<object> {
    return fc.oneof(
      fc.constant({ type: 'empty' }),
      { weight: 4, arbitrary: words.map((query) => ({ type: 'keyword', query })) },
      { weight: 4, arbitrary: fc.constant({ type: 'geoPointWithin', polygon: RING }) },
      fc.constant({ type: 'eq', field: 'address:city', value: 'north' }),
      this.#conditions('', (field) => fc.constant({ type: 'eq', field, value: 'red' })),
    )
  }

  get groupBy(): fc.Arbitrary<object[]> {
    const grouping = this.properties.map((field) => ({ type: 'exact', field, maxGroupCount: 20 }))
    return fc.array(grouping, { maxLength: 2 })
  }

  get metrics(): fc.Arbitrary<object[]> {
    const metric = fc
      .tuple(fc.constantFrom('min', 'max', 'approximateDistinct'), this.properties)
      .map(([type, field]) => ({ type, field, name: 'm' }))
    return fc.array(metric, { maxLength: 1 }).map((own) => [{ type: 'count', name: 'n' }, ...own])
  }

  get order(): fc.Arbitrary<object | undefined> {
    const fields = this.properties.map((field) => ({ fields: [{ field, direction: 'desc' }] }))
    return fc.option(fields, { nil: undefined })
  }

  /** The query string of a listing, in the syntax of both APIs that have one. */
  listing(selection: string): fc.Arbitrary<string> {
    return fc
      .tuple(
        sizes,
        optional(selection, this.properties),
        optional(
          'orderBy',
          this.properties.map((name) => `properties.${name}:desc`),
        ),
      )
      .map(([size, ...others]) => `pageSize=${size}${others.join('')}`)
  }

  get filters(): fc.Arbitrary<string> {
    const filter = this.properties.chain((name) =>
      this.valuesOf(name).map((value) => `&properties.${name}.eq=${value}`),
    )
    return fc.option(filter, { nil: '' })
  }
}

const BY_TYPE = new Map([...TYPES, 'nosuch'].map((type) => [type, new TypeRequests(type)]))
const requestsOf = (type: string) => BY_TYPE.get(type) ?? new TypeRequests(type)

const isNull = (field: string) => fc.boolean().map((value) => ({ type: 'isNull', field, value }))
const textOf = (type: string) => ({ employee: 'notes', team: 'title' })[type] ?? 'label'
const pointOf = (type: string) => (type === 'office' ? 'spot' : 'desk')
const BOX = {
  topLeft: { type: 'Point', coordinates: [-2, 3] },
  bottomRight: { type: 'Point', coordinates: [1, -2] },
}
const RING = [
  [-2, -3],
  [2, -3],
  [2, 2],
  [-2, 2],
  [-2, -3],
].map(([longitude, latitude]) => ({ longitude, latitude }))

function optional(name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .option(value, { nil: undefined, freq: 2 })
    .map((text) => (text ? `&${name}=${text}` : ''))
}

/** Object sets with objects of one type. `rids` are those of all objects, also of hidden ones. */
function setsOf(type: string, rids: readonly string[], depth = 2): fc.Arbitrary<object> {
  const base = fc.constant({ type: 'base', objectType: type })
  const listed = fc
    .subarray([...rids], { minLength: 1, maxLength: 6 })
    .map((objects) => ({ type: 'static', objects }))
  if (depth === 0) return mostly<object>(base, listed)
  const nested = setsOf(type, rids, depth - 1)
  const around = LINKS.filter(({ to }) => to === type).map(({ from, link }) =>
    setsOf(from, rids, depth - 1).map((objectSet) => ({ type: 'searchAround', objectSet, link })),
  )
  return fc.oneof(
    base,
    listed,
    fc
      .tuple(nested, requestsOf(type).whereV2)
      .map(([objectSet, where]) => ({ type: 'filter', objectSet, where })),
    fc
      .tuple(fc.constantFrom('union', 'intersect', 'subtract'), fc.tuple(nested, nested))
      .map(([kind, objectSets]) => ({ type: kind, objectSets })),
    ...around,
  )
}

const get = (path: string, walks = false): ReadRequest => ({ method: 'GET', path, walks })
const post = (path: string, body: Record<string, unknown>, walks = false): ReadRequest => ({
  method: 'POST',
  path,
  body,
  walks,
})

const R1 = '/api/v1/ontologies/company'
const V2 = '/api/v2/ontologies/company'
const FAMILY = '/api/company-family/v1/objects'
const ADMIN = '/api/admin/v1/ontologies/company'

const metadata = fc.constantFrom(
  ...['/api/v1/ontologies', R1, `${R1}/objectTypes`, `${R1}/objectTypes/employee`],
  `${R1}/objectTypes/team/outgoingLinkTypes`,
  `${R1}/objectTypes/employee/outgoingLinkTypes/team`,
  ...['/api/v2/ontologies', V2, `${V2}/fullMetadata`, `${V2}/objectTypes`],
  `${V2}/objectTypes/office/fullMetadata?preview=true`,
  `${V2}/objectTypes/employee/outgoingLinkTypes`,
  `${V2}/interfaceTypes?preview=true`,
  `${V2}/interfaceTypes/Named?preview=true`,
  ...[ADMIN, `${ADMIN}/counts`],
)

/** Requests for the objects of one type. */
function ofType(type: string): fc.Arbitrary<ReadRequest> {
  const of = requestsOf(type)
  const { keys, links, properties } = of
  const relevant = { orderType: 'relevance', fields: [] }
  const search = { type: 'containsAnyTerm', field: textOf(type) }
  return fc.oneof(
    fc
      .tuple(of.listing('properties'), of.filters, fc.boolean())
      .map(([listing, filter, isSnapshot]) =>
        get(`${R1}/objects/${type}?${listing}${filter}&snapshot=${isSnapshot}`, true),
      ),
    keys.map((key) => get(`${R1}/objects/${type}/${key}`)),
    fc
      .tuple(keys, properties)
      .map(([key, one]) => get(`${R1}/objects/${type}/${key}?properties=${one}`)),
    fc
      .tuple(keys, links, sizes)
      .map(([key, link, size]) =>
        get(`${R1}/objects/${type}/${key}/links/${link}?pageSize=${size}`, true),
      ),
    fc
      .tuple(keys, links, keys)
      .map(([key, link, linked]) => get(`${R1}/objects/${type}/${key}/links/${link}/${linked}`)),
    fc
      .tuple(of.query1, sizes)
      .map(([query, pageSize]) => post(`${R1}/objects/${type}/search`, { query, pageSize }, true)),
    fc
      .tuple(of.query1, of.metrics, of.groupBy)
      .map(([query, aggregation, groupBy]) =>
        post(`${R1}/objects/${type}/aggregate`, { query, aggregation, groupBy }),
      ),
    {
      weight: 3,
      arbitrary: of.query2.map((query) =>
        post(`${FAMILY}/types/${type}/search?preview=true`, { query, pageSize: 3 }, true),
      ),
    },
    keys.map((key) => get(`${FAMILY}/${key}?preview=true`)),
    keys.map((key) => get(`${FAMILY}/${key}/properties`)),
    fc.tuple(keys, links).map(([key, link]) => get(`${FAMILY}/${key}/links/${link}`, true)),
    of.listing('select').map((listing) => get(`${V2}/objects/${type}?${listing}`, true)),
    keys.map((key) => get(`${V2}/objects/${type}/${key}`)),
    fc
      .tuple(keys, links, sizes)
      .map(([key, link, size]) =>
        get(`${V2}/objects/${type}/${key}/links/${link}?pageSize=${size}`, true),
      ),
    fc.constant(post(`${V2}/objects/${type}/count`, {})),
    fc
      .tuple(of.whereV2, sizes, of.order)
      .map(([where, pageSize, orderBy]) =>
        post(`${V2}/objects/${type}/search`, { where, pageSize, orderBy }, true),
      ),
    words.map((value) =>
      post(
        `${V2}/objects/${type}/search`,
        { where: { ...search, value }, orderBy: relevant, pageSize: 4 },
        true,
      ),
    ),
    fc
      .tuple(of.whereV2, of.metrics, of.groupBy)
      .map(([where, aggregation, groupBy]) =>
        post(`${V2}/objects/${type}/aggregate`, { where, aggregation, groupBy }),
      ),
    fc
      .array(fc.record({ where: of.whereV2, aggregation: of.metrics, groupBy: of.groupBy }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((aggregations) => post(`${V2}/objects/${type}/aggregateBatch`, { aggregations })),
    fc.tuple(fc.constantFrom('ndjson', 'csv'), of.query1).map(([format, query]) => {
      const where = encodeURIComponent(JSON.stringify(query))
      return get(`${ADMIN}/objects/${type}/export?format=${format}&where=${where}`)
    }),
    fc
      .option(of.query1)
      .map((where) =>
        post('/api/admin/v1/downloads', { ontology: 'company', objectType: type, where }),
      ),
  )
}

/** Requests for the objects of a set, most of them of one type. */
function ofSet(type: string, rids: readonly string[]): fc.Arbitrary<ReadRequest> {
  const of = requestsOf(type)
  const sets = mostly<object>(
    setsOf(type, rids),
    fc.constantFrom(
      { type: 'interfaceBase', interfaceType: 'Named' },
      { type: 'interfaceBase', interfaceType: 'Named', includeAllBaseObjectProperties: true },
    ),
  )
  const load = (path: string) =>
    fc
      .tuple(sets, sizes, fc.boolean())
      .map(([objectSet, pageSize, snapshot]) =>
        post(
          `${V2}/objectSets/${path}?preview=true`,
          { objectSet, select: [], pageSize, snapshot },
          true,
        ),
      )
  return fc.oneof(
    fc
      .tuple(sets, sizes, of.order)
      .map(([objectSet, pageSize, orderBy]) =>
        post(`${V2}/objectSets/loadObjects`, { objectSet, select: [], pageSize, orderBy }, true),
      ),
    load('loadObjectsMultipleObjectTypes'),
    load('loadObjectsOrInterfaces'),
    fc
      .tuple(sets, of.metrics, of.groupBy)
      .map(([objectSet, aggregation, groupBy]) =>
        post(`${V2}/objectSets/aggregate`, { objectSet, aggregation, groupBy }),
      ),
    fc
      .tuple(sets, of.links)
      .map(([objectSet, link]) =>
        post(`${V2}/objectSets/loadLinks?preview=true`, { objectSet, links: [link] }, true),
      ),
    sets.map((objectSet) => post(`${V2}/objectSets/createTemporary`, { objectSet })),
  )
}

/** The properties of the interface, which are those of no object type. */
const NAMED = `${V2}/interfaces/Named`
const labels = fc.constantFrom('label', 'area')
const ofInterface: fc.Arbitrary<ReadRequest> = fc.oneof(
  sizes.map((size) => get(`${NAMED}?preview=true&pageSize=${size}`, true)),
  fc
    .tuple(labels, words, sizes)
    .map(([field, value, pageSize]) =>
      post(
        `${NAMED}/search?preview=true`,
        { where: { type: 'containsAnyTerm', field, value }, pageSize },
        true,
      ),
    ),
  labels.map((field) =>
    post(`${NAMED}/aggregate?preview=true`, {
      aggregation: [{ type: 'count', name: 'n' }],
      groupBy: [{ type: 'exact', field, maxGroupCount: 20 }],
    }),
  ),
)

/** Requests to every endpoint that returns objects, counts, groups, links or metadata. */
export function readRequests(rids: readonly string[]): fc.Arbitrary<ReadRequest> {
  return fc.oneof(
    { weight: 3, arbitrary: metadata.map((path) => get(path)) },
    { weight: 20, arbitrary: types.chain(ofType) },
    { weight: 8, arbitrary: types.chain((type) => ofSet(type, rids)) },
    { weight: 3, arbitrary: ofInterface },
  )
}
