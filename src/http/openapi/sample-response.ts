/**
 * Examples of responses, made from their schemas. Tests check every response of the service against
 * its schema, so an example has the form of real responses.
 */

/** A JSON schema of the document, as far as examples concern it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly format?: string
  readonly description?: string | undefined
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly maxItems?: number
  readonly not?: unknown
}

const RID = '5f0a7c51-1c1e-4a53-8f57-9a1d2b3e4c5f'
const OBJECT_RID = 'ri.phonograph2-objects.main.object.350a7005-3cd0-88e0-bd1d-2ae673ea2ad8'
const SECRET = 'oqs_1bq2mW0pTn6cJ5Yq8e3xLr7uVd4kZs9hGa0fRi2oXyA'

/** What texts are in the demo, by the names of members. */
const TEXTS: Readonly<Record<string, string>> = {
  name: 'reports',
  version: '1.0.0+8da0ea9c',
  release: '1.0.0+8da0ea9c',
  displayName: 'Airport',
  pluralDisplayName: 'Airport',
  description: 'An airport with scheduled flights.',
  baseType: 'String',
  type: 'string',
  rid: `ri.ontology.main.object-type.${RID}`,
  ontologyRid: `ri.ontology.main.ontology.${RID}`,
  linkTypeRid: `ri.ontology.main.relation.${RID}`,
  objectSetRid: `ri.object-set.main.temporary-object-set.${RID}`,
  __rid: OBJECT_RID,
  $rid: OBJECT_RID,
  __primaryKey: 'ZRH',
  $primaryKey: 'ZRH',
  __title: 'Zurich Airport',
  $title: 'Zurich Airport',
  title: 'Zurich Airport',
  ontology: 'aviation',
  objectTypeApiName: 'country',
  linkType: 'country',
  linkTypes: 'country',
  primaryKey: 'iata',
  titleProperty: 'name',
  propertyApiName: 'name',
  propertyId: 'name',
  propertyType: 'name',
  nextPageToken: 'v1.AVWsPDbJqSQWhe8cFIZ57IyQD7z1TeBpQ0m8cT4vKx2Rw9sLh6Ug3Ndy5ZfEaoCiJb',
  totalCount: '1',
  id: RID,
  requestId: RID,
  username: 'admin',
  realm: 'oqs',
  scopes: 'api:ontologies-read',
  scope: 'api:use-ontologies-read',
  operation: 'writeObjects',
  address: '127.0.0.1',
  replacement: '1',
  token: SECRET,
  clientSecret: SECRET,
  access_token: SECRET,
  path: '/api/admin/v1/downloads/k1mYJ0oQ2Zr8h3Vd5sXcNq7wEt9uLb4aGf6pRi0TzAB',
  redirectUris: 'http://localhost:3000/callback',
  color: '#4C90F0',
}

/** The properties of an object, and the names and values of any other members. */
const PROPERTIES = { iata: 'ZRH', name: 'Zurich Airport', runwayFeet: 12_139 }
const TIME = '2026-01-31T12:00:00.000Z'

/** Optional members that are worth showing. */
const SHOWN: readonly string[] = [
  'nextPageToken',
  'clientSecret',
  '__rid',
  '__title',
  '$title',
  'validation',
  'edits',
  'value',
]

/** Returns an example of a schema, with its required members. `name` is that of the member. */
export function sampleOf(
  schema: Schema,
  components: Readonly<Record<string, Schema>>,
  name = 'name',
): unknown {
  const sample = (inner: Schema, of = name) => sampleOf(inner, components, of)
  if (schema.$ref !== undefined) {
    return sample(components[schema.$ref.slice('#/components/schemas/'.length)] ?? {})
  }
  if (schema.anyOf?.[0] !== undefined) return sample(schema.anyOf[0])
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [type] = [schema.type ?? 'string'].flat()
  switch (type) {
    case 'object':
      return { ...sampleMembers(schema, sample), ...(isOpen(schema) && PROPERTIES) }
    case 'array': {
      const { items = {}, maxItems } = schema
      const isEmpty = maxItems === 0 || Object.keys(items).length === 0 || items.not !== undefined
      return isEmpty ? [] : [sample(items)]
    }
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return 1
    default:
      return schema.format === 'date-time' ? TIME : (TEXTS[name] ?? 'airport')
  }
}

function sampleMembers(
  { properties = {}, required = [], additionalProperties }: Schema,
  sample: (schema: Schema, name: string) => unknown,
): object {
  const shown = Object.entries(properties).filter(
    ([name]) => required.includes(name) || SHOWN.includes(name),
  )
  // The members of a map have the name of a property of the demo.
  const isMap = typeof additionalProperties === 'object'
  const mapped = isMap ? [['name', additionalProperties as Schema] as const] : []
  return Object.fromEntries([...shown, ...mapped].map(([name, one]) => [name, sample(one, name)]))
}

/** True for objects whose members are properties; other open objects have members of their type. */
function isOpen({ additionalProperties, properties }: Schema): boolean {
  return additionalProperties === true && properties?.['type'] === undefined
}
