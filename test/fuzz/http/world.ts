/** The ontologies and objects of the service under test, and the names that requests choose from. */
import { LIBRARY_DEFINITION } from '../../../src/http/openapi/examples.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
  PropertyDefinition,
} from '../../../src/ontology/definition/definition-schema.ts'
import { DEMO_DEFINITION } from '../../../src/server/demo/definition.ts'

/** A type with every kind of property. */
const KINDS: OntologyDefinition = {
  apiName: 'kinds',
  families: ['kinds'],
  objectTypes: [
    {
      apiName: 'kind',
      primaryKey: 'long',
      retrievalLimit: 20,
      properties: {
        string: { type: 'string' },
        boolean: { type: 'boolean' },
        byte: { type: 'byte' },
        short: { type: 'short' },
        integer: { type: 'integer' },
        long: { type: 'long' },
        float: { type: 'float' },
        double: { type: 'double' },
        decimal: { type: 'decimal' },
        date: { type: 'date' },
        timestamp: { type: 'timestamp' },
        geopoint: { type: 'geopoint' },
        geoshape: { type: 'geoshape' },
        attachment: { type: 'attachment' },
        marking: { type: 'marking' },
        longs: { type: 'array', items: { type: 'long' } },
        struct: { type: 'struct', fields: { string: { type: 'string' }, date: { type: 'date' } } },
        structs: {
          type: 'array',
          items: { type: 'struct', fields: { double: { type: 'double' } } },
        },
      },
    },
  ],
}

export const DEFINITIONS: readonly OntologyDefinition[] = [
  DEMO_DEFINITION,
  LIBRARY_DEFINITION,
  KINDS,
]

/** The keys of the first objects of the demo; examples name them. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  country: ['CH', 'DE', 'FR', 'US'],
  airport: ['ZRH', 'GVA', 'BSL', 'JFK'],
  book: ['9780131103627', '9780201633610', '9780262033848'],
}

/** Returns the n-th object of a type, always the same. */
export function makeObject(type: ObjectTypeDefinition, n: number): Record<string, unknown> {
  const object = Object.fromEntries(
    Object.entries(type.properties)
      // Some objects have no value.
      .filter(([name], index) => name === type.primaryKey || (n + index) % 7 !== 0)
      .map(([name, property]) => [name, makeValue(name, property, n)]),
  )
  const key = KEYS[type.apiName]?.[n]
  return key === undefined ? object : { ...object, [type.primaryKey]: key }
}

function makeValue(name: string, property: PropertyDefinition, n: number): unknown {
  if (/^countryCode$/.test(name)) return KEYS['country']?.[n % 4]
  if (/^(?:origin|destination)$/.test(name)) return KEYS['airport']?.[n % 4]
  switch (property.type) {
    case 'array':
      return Array.from({ length: n % 4 }, (_, index) =>
        makeValue(name, (property.items ?? { type: 'string' }) as PropertyDefinition, n + index),
      )
    case 'struct':
      return Object.fromEntries(
        Object.entries(property.fields ?? {}).map(([field, type]) => [
          field,
          makeValue(field, type as PropertyDefinition, n),
        ]),
      )
    case 'boolean':
      return n % 2 === 0
    case 'byte':
    case 'short':
    case 'integer':
      return n % 100
    case 'long':
    case 'decimal':
      return String(n)
    case 'float':
    case 'double':
      return n / 4
    case 'date':
      return `2024-01-${String(1 + (n % 28)).padStart(2, '0')}`
    case 'timestamp':
      return `2024-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`
    case 'geopoint':
      return { type: 'Point', coordinates: [n % 90, 47] }
    case 'geoshape':
      return {
        type: 'LineString',
        coordinates: [
          [n % 90, 0],
          [0, 1],
        ],
      }
    case 'attachment':
      return { rid: `ri.attachments.main.attachment.${n}` }
    default:
      return `${name} ${n}`
  }
}

/** Valid values for parameters and members, by their name. */
export type KnownNames = Readonly<Record<string, readonly unknown[]>>

/** Names that do not depend on the object type. */
const COMMON_NAMES: KnownNames = {
  ontologies: DEFINITIONS.map(({ apiName }) => apiName),
  families: ['books', 'other'],
  branch: ['main'],
  entityType: ['Place', 'airport'],
  interfaceType: ['Place'],
  interfaceLinkType: ['country'],
  orderBy: ['properties.name:asc', 'p.iata:desc', 'properties.runwayFeet', '__score', 'name:asc'],
  pageToken: ['{{page:listObjects}}', '{{page:searchObjects}}', '{{page:searchObjectsV2}}'],
  pageSize: [1, 2, 10, 1000],
  replacement: ['1', '2'],
  version: ['1', '2', '100'],
  where: ['{"type":"eq","field":"properties.name","value":"name 1"}'],
  type: ['string', 'integer', 'date'],
  direction: ['asc', 'desc'],
  nulls: ['first', 'last'],
  orderType: ['fields', 'relevance'],
  duration: ['P1D', 'PT1H'],
  timeZoneId: ['Europe/Zurich', 'Z', '+02:00'],
  rid: ['ri.ontology.main.ontology.1', 'ri.ontology.main.object-type.1'],
  scopes: ['api:ontologies-read', 'api:ontologies-write', 'api:metrics-read', 'api:admin'],
  redirectUris: ['http://localhost:3000/callback', 'https://example.org/'],
  grant_type: ['client_credentials', 'authorization_code', 'refresh_token'],
}

/** Returns names that fit together: those of one object type. */
export function namesOf(definition: OntologyDefinition, type: ObjectTypeDefinition): KnownNames {
  const properties = Object.keys(type.properties)
  const objects = [1, 2, 3, 8].map((n) => makeObject(type, n))
  const keys = objects.map((object) => String(object[type.primaryKey]))
  const links = (definition.linkTypes ?? []).flatMap((link) => [
    ...(link.from === type.apiName ? [link.apiName] : []),
    ...(link.to === type.apiName && link.reverseApiName ? [link.reverseApiName] : []),
  ])
  const values = objects.flatMap((object) => Object.values(object)).filter(isScalar)
  const bounds = Object.fromEntries(
    ['value', 'gte', 'gt', 'lt', 'lte', 'startValue', 'endValue'].map((name) => [name, values]),
  )
  return {
    ...COMMON_NAMES,
    ...bounds,
    ontology: [definition.apiName],
    apiFamily: definition.families ?? [],
    objectType: [type.apiName],
    apiName: properties,
    titleProperty: properties,
    primaryKey: [...keys, 'none'],
    linkedObjectPrimaryKey: [...keys, 'CH', 'none'],
    primaryKeys: keys,
    objects: keys,
    linkType: links,
    link: links,
    links,
    actionType: ['create', 'modify', 'delete'].map((kind) => `${kind}-${type.apiName}`),
    field: properties,
    fields: properties,
    select: properties,
    properties,
    filters: properties.flatMap((name) => [`properties.${name}.eq`, `p.${name}.gte`]),
  }
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object'
}
