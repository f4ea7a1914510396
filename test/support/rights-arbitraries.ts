/** Random policies, and random requests to every endpoint that reads. */
import fc from 'fast-check'
import {
  CALLERS,
  type ModelPolicy,
  type ModelRight,
  OBJECTS,
  type Row,
  WORLD,
} from './rights-world.ts'

type Rule = Pick<ModelRight, 'where' | 'keeps'>

const eq = (field: string, value: unknown) => ({ type: 'eq', field, value })

/** Rules by type. Some use properties that a policy may hide. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  employee: [
    { where: eq('owner', '$caller.name'), keeps: (row, caller) => row['owner'] === caller },
    {
      where: { type: 'in', field: 'owner', value: ['$caller.name', 'bob'] },
      keeps: (row, caller) => row['owner'] === caller || row['owner'] === 'bob',
    },
    { where: eq('region', 'north'), keeps: (row) => row['region'] === 'north' },
    {
      where: { type: 'not', value: eq('owner', '$caller.name') },
      keeps: (row, caller) => row['owner'] !== caller,
    },
    {
      where: { type: 'lt', field: 'salary', value: 5 },
      keeps: ({ salary }) => typeof salary === 'number' && salary < 5,
    },
    {
      where: { type: 'isNull', field: 'salary', value: true },
      keeps: ({ salary }) => salary === undefined,
    },
    {
      where: { type: 'containsAnyTerm', field: 'notes', value: 'red blue' },
      keeps: ({ notes }) => /\b(?:red|blue)\b/.test(String(notes)),
    },
    {
      where: { type: 'contains', field: 'skills', value: 'old' },
      keeps: ({ skills }) => (skills as string[]).includes('old'),
    },
    {
      where: {
        type: 'or',
        value: [
          eq('region', 'south'),
          { type: 'and', value: [eq('teamId', 1), eq('owner', 'cy')] },
        ],
      },
      keeps: ({ region, teamId, owner }) => region === 'south' || (teamId === 1 && owner === 'cy'),
    },
    { where: eq('id', 'e03'), keeps: ({ id }) => id === 'e03' },
  ],
  team: [
    { where: eq('region', 'south'), keeps: ({ region }) => region === 'south' },
    {
      where: { type: 'gte', field: 'budget', value: 3 },
      keeps: ({ budget }) => Number(budget) >= 3,
    },
    {
      where: { type: 'in', field: 'id', value: [1, 2, 5] },
      keeps: ({ id }) => [1, 2, 5].includes(Number(id)),
    },
  ],
  office: [
    { where: eq('owner', '$caller.name'), keeps: (row, caller) => row['owner'] === caller },
    { where: { type: 'not', value: eq('code', 'o1') }, keeps: ({ code }) => code !== 'o1' },
  ],
}

const propertiesOf = (name: string): string[] =>
  Object.keys(WORLD.objectTypes.find(({ apiName }) => apiName === name)?.properties ?? {})
const keyOf = (name: string): string =>
  WORLD.objectTypes.find(({ apiName }) => apiName === name)?.primaryKey ?? ''

const TYPES = [...OBJECTS.keys()]

const rightsOf = (objectType: string): fc.Arbitrary<ModelRight> =>
  fc
    .record({
      rule: fc.option(fc.constantFrom(...(RULES[objectType] ?? [])), { nil: undefined, freq: 4 }),
      hide: fc.subarray(
        propertiesOf(objectType).filter((name) => name !== keyOf(objectType)),
        { maxLength: 3 },
      ),
      hides: fc.boolean(),
    })
    .map(({ rule, hide, hides }) => ({ objectType, ...rule, hide: hides ? hide : [] }))

const policies: fc.Arbitrary<ModelPolicy> = fc
  .tuple(
    fc.boolean(),
    fc.tuple(...TYPES.map((type) => fc.array(rightsOf(type), { maxLength: 2, size: 'small' }))),
  )
  .map(([hasOthers, named]) => [
    ...named.flat(),
    ...(hasOthers ? [{ objectType: '*', hide: [] }] : []),
  ])

/** A caller with one or two policies. */
export interface LimitedCaller {
  readonly name: string
  readonly policies: readonly ModelPolicy[]
}

export const limitedCallers: fc.Arbitrary<LimitedCaller> = fc.record({
  name: fc.constantFrom(...CALLERS),
  policies: fc.array(policies, { minLength: 1, maxLength: 2 }),
})

/** A request without the service; `TOKEN` in the path marks where a page token goes. */
export interface ReadRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Record<string, unknown>
  /** Whether all pages are read, with the page token in the query string or in the body. */
  readonly walks: boolean
}

const types = fc.constantFrom(...TYPES, ...TYPES, ...TYPES, 'nosuch')
const PROPERTIES = [...new Set(TYPES.flatMap(propertiesOf))]
const properties = fc.constantFrom(...PROPERTIES, 'nosuch')
const keys = fc.constantFrom(
  'e00',
  'e01',
  'e02',
  'e03',
  'e07',
  'e12',
  'e25',
  '1',
  '2',
  '5',
  'o1',
  'o3',
  'x',
)
const links = fc.constantFrom('manager', 'reports', 'team', 'members', 'office', 'teams', 'nosuch')
const words = fc.constantFrom(
  'red',
  'green',
  'blue',
  'old',
  'new',
  'team',
  'house',
  'red blue',
  'ne',
)
const sizes = fc.constantFrom(1, 2, 3, 5, 40)
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
]

const valuesOf = (property: string): fc.Arbitrary<unknown> => {
  const values = TYPES.flatMap((type) => (OBJECTS.get(type) ?? []).map((row: Row) => row[property]))
  const found = values.flat().filter((value) => value !== undefined && typeof value !== 'object')
  return found.length === 0 ? fc.constant('x') : fc.constantFrom(...found)
}

/** Conditions of a revision, whose field names have a prefix. */
const conditions = (prefix: string, more: (field: string) => fc.Arbitrary<object>) =>
  fc.letrec<{ one: object }>((tie) => ({
    one: fc.oneof(
      { maxDepth: 2 },
      properties.chain((property) =>
        fc.oneof(
          fc
            .tuple(fc.constantFrom('eq', 'lt', 'gte'), valuesOf(property))
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

const isNull = (field: string) => fc.boolean().map((value) => ({ type: 'isNull', field, value }))

const whereV2 = conditions('', (field) =>
  fc.oneof(
    isNull(field),
    fc
      .tuple(fc.constantFrom('containsAllTerms', 'containsAnyTerm', 'startsWith'), words)
      .map(([type, value]) => ({ type, field, value })),
    fc.constant({ type: 'contains', field, value: 'red' }),
    fc.constant({ type: 'withinBoundingBox', field, value: BOX }),
    fc.constant({ type: 'wildcard', field, value: '*e*' }),
    fc.constant({ type: 'in', field: 'id', value: ['e01', 'e02', 'e07', 'e12'] }),
  ),
)

const query1 = conditions('properties.', (field) =>
  fc.oneof(
    isNull(field),
    fc
      .tuple(fc.constantFrom('anyTerm', 'allTerms', 'phrase', 'prefix'), words)
      .map(([type, value]) => ({ type, field, value })),
  ),
)

const query2 = fc.oneof(
  fc.constant({ type: 'empty' }),
  words.map((query) => ({ type: 'keyword', query })),
  fc.constant({ type: 'geoPointWithin', polygon: RING }),
  conditions('', (field) => fc.constant({ type: 'eq', field: `${field}:city`, value: 'north' })),
)

/** Object sets; `rids` are those of all objects, also of hidden ones. */
const objectSets = (rids: readonly string[]): fc.Arbitrary<object> =>
  fc.letrec<{ set: object }>((tie) => ({
    set: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      types.map((objectType) => ({ type: 'base', objectType })),
      fc.constant({ type: 'interfaceBase', interfaceType: 'Named' }),
      fc
        .subarray([...rids], { minLength: 1, maxLength: 6 })
        .map((objects) => ({ type: 'static', objects })),
      fc
        .tuple(tie('set'), whereV2)
        .map(([objectSet, where]) => ({ type: 'filter', objectSet, where })),
      fc
        .tuple(tie('set'), links)
        .map(([objectSet, link]) => ({ type: 'searchAround', objectSet, link })),
      fc
        .tuple(
          fc.constantFrom('union', 'intersect', 'subtract'),
          fc.array(tie('set'), { minLength: 2, maxLength: 2 }),
        )
        .map(([type, objectSets]) => ({ type, objectSets })),
    ),
  })).set

const groupBy = (type: 'valueRange' | 'exact') =>
  fc.array(
    properties.map((field) => ({ type, field, maxGroupCount: 20 })),
    { maxLength: 2 },
  )
const metrics = fc
  .tuple(fc.constantFrom('sum', 'min', 'max', 'approximateDistinct', 'exactDistinct'), properties)
  .map(([type, field]) => ({ type, field, name: 'm' }))
const metricsOf = fc
  .array(metrics, { maxLength: 1 })
  .map((own) => [{ type: 'count', name: 'n' }, ...own])

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
const preview = 'preview=true'

const metadata = fc.constantFrom(
  '/api/v1/ontologies',
  R1,
  `${R1}/objectTypes`,
  `${R1}/objectTypes/employee`,
  `${R1}/objectTypes/team/outgoingLinkTypes`,
  `${R1}/objectTypes/employee/outgoingLinkTypes/team`,
  '/api/v2/ontologies',
  V2,
  `${V2}/fullMetadata`,
  `${V2}/objectTypes`,
  `${V2}/objectTypes/office/fullMetadata?${preview}`,
  `${V2}/objectTypes/employee/outgoingLinkTypes`,
  `${V2}/interfaceTypes?${preview}`,
  `${V2}/interfaceTypes/Named?${preview}`,
  ADMIN,
  `${ADMIN}/counts`,
)

const optional = (name: string, value: fc.Arbitrary<string>) =>
  fc.option(value, { nil: undefined }).map((text) => (text === undefined ? '' : `&${name}=${text}`))
const listing = fc
  .tuple(
    sizes,
    optional('properties', properties),
    optional(
      'orderBy',
      properties.map((name) => `properties.${name}:desc`),
    ),
    optional('snapshot', fc.constantFrom('true', 'false')),
  )
  .map(([size, ...others]) => `pageSize=${size}${others.join('')}`)
const filters = fc.option(
  properties.chain((name) => valuesOf(name).map((value) => `&properties.${name}.eq=${value}`)),
  { nil: '' },
)
const listingV2 = fc
  .tuple(
    sizes,
    optional('select', properties),
    optional(
      'orderBy',
      properties.map((name) => `properties.${name}`),
    ),
  )
  .map(([size, ...others]) => `pageSize=${size}${others.join('')}`)
const order = fc.option(
  properties.map((field) => ({ fields: [{ field, direction: 'desc' }] })),
  { nil: undefined },
)

/** Requests to every endpoint that returns objects, counts, groups, links or metadata. */
export function readRequests(rids: readonly string[]): fc.Arbitrary<ReadRequest> {
  const sets = objectSets(rids)
  return fc.oneof(
    metadata.map((path) => get(path)),
    fc.tuple(types, listing, filters).map(([t, l, f]) => get(`${R1}/objects/${t}?${l}${f}`, true)),
    fc.tuple(types, keys).map(([t, k]) => get(`${R1}/objects/${t}/${k}`)),
    fc
      .tuple(types, keys, properties)
      .map(([t, k, p]) => get(`${R1}/objects/${t}/${k}?properties=${p}`)),
    fc
      .tuple(types, keys, links, sizes)
      .map(([t, k, l, s]) => get(`${R1}/objects/${t}/${k}/links/${l}?pageSize=${s}`, true)),
    fc
      .tuple(types, keys, links, keys)
      .map(([t, k, l, o]) => get(`${R1}/objects/${t}/${k}/links/${l}/${o}`)),
    fc
      .tuple(types, query1, sizes)
      .map(([t, query, pageSize]) => post(`${R1}/objects/${t}/search`, { query, pageSize }, true)),
    fc.tuple(types, query1, metricsOf, groupBy('exact')).map(([t, query, aggregation, groups]) =>
      post(`${R1}/objects/${t}/aggregate`, {
        query,
        aggregation: aggregation.filter(({ type }) => type !== 'exactDistinct'),
        groupBy: groups,
      }),
    ),
    fc
      .tuple(types, query2)
      .map(([t, query]) =>
        post(`${FAMILY}/types/${t}/search?${preview}`, { query, pageSize: 3 }, true),
      ),
    keys.map((k) => get(`${FAMILY}/${k}?${preview}`)),
    keys.map((k) => get(`${FAMILY}/${k}/properties?${preview}`)),
    fc.tuple(keys, links).map(([k, l]) => get(`${FAMILY}/${k}/links/${l}?${preview}`, true)),
    fc.tuple(types, listingV2).map(([t, l]) => get(`${V2}/objects/${t}?${l}`, true)),
    fc.tuple(types, keys).map(([t, k]) => get(`${V2}/objects/${t}/${k}`)),
    fc
      .tuple(types, keys, links, listingV2)
      .map(([t, k, l, q]) => get(`${V2}/objects/${t}/${k}/links/${l}?${q}`, true)),
    types.map((t) => post(`${V2}/objects/${t}/count`, {})),
    fc
      .tuple(types, whereV2, sizes, order)
      .map(([t, where, pageSize, orderBy]) =>
        post(`${V2}/objects/${t}/search`, { where, pageSize, orderBy }, true),
      ),
    fc.tuple(types, words).map(([t, value]) =>
      post(
        `${V2}/objects/${t}/search`,
        {
          where: { type: 'containsAnyTerm', field: 'notes', value },
          orderBy: { orderType: 'relevance', fields: [] },
          pageSize: 4,
        },
        true,
      ),
    ),
    fc
      .tuple(types, whereV2, metricsOf, groupBy('exact'))
      .map(([t, where, aggregation, groups]) =>
        post(`${V2}/objects/${t}/aggregate`, { where, aggregation, groupBy: groups }),
      ),
    fc
      .tuple(sets, sizes, order)
      .map(([objectSet, pageSize, orderBy]) =>
        post(`${V2}/objectSets/loadObjects`, { objectSet, select: [], pageSize, orderBy }, true),
      ),
    fc
      .tuple(sets, sizes, fc.boolean())
      .map(([objectSet, pageSize, snapshot]) =>
        post(
          `${V2}/objectSets/loadObjectsMultipleObjectTypes?${preview}`,
          { objectSet, select: [], pageSize, snapshot },
          true,
        ),
      ),
    fc
      .tuple(sets, sizes)
      .map(([objectSet, pageSize]) =>
        post(
          `${V2}/objectSets/loadObjectsOrInterfaces?${preview}`,
          { objectSet, select: [], pageSize },
          true,
        ),
      ),
    fc
      .tuple(sets, metricsOf, groupBy('exact'))
      .map(([objectSet, aggregation, groups]) =>
        post(`${V2}/objectSets/aggregate`, { objectSet, aggregation, groupBy: groups }),
      ),
    fc
      .tuple(sets, links)
      .map(([objectSet, link]) =>
        post(`${V2}/objectSets/loadLinks?${preview}`, { objectSet, links: [link] }, true),
      ),
    sets.map((objectSet) => post(`${V2}/objectSets/createTemporary`, { objectSet })),
    sizes.map((size) => get(`${V2}/interfaces/Named?${preview}&pageSize=${size}`, true)),
    fc
      .tuple(whereV2, sizes)
      .map(([where, pageSize]) =>
        post(`${V2}/interfaces/Named/search?${preview}`, { where, pageSize }, true),
      ),
    fc.constantFrom('label', 'area').map((field) =>
      post(`${V2}/interfaces/Named/aggregate?${preview}`, {
        aggregation: [{ type: 'count', name: 'n' }],
        groupBy: [{ type: 'exact', field, maxGroupCount: 20 }],
      }),
    ),
    fc
      .tuple(types, fc.constantFrom('ndjson', 'csv'), query1)
      .map(([t, format, query]) =>
        get(
          `${ADMIN}/objects/${t}/export?format=${format}&where=${encodeURIComponent(JSON.stringify(query))}`,
        ),
      ),
    fc
      .tuple(types, query1)
      .map(([objectType, where]) =>
        post('/api/admin/v1/downloads', { ontology: 'company', objectType, where }),
      ),
  )
}
