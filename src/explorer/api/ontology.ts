/** Ontologies and their objects, in the form that the screens use. */
import type { FlatRecord } from '../../client/endpoints/pages.ts'
import type { ConstraintDefinition, DefaultDefinition } from '../../ontology/constraint-schema.ts'
import type {
  OntologyDefinition as FullDefinition,
  LinkTypeDefinition,
} from '../../ontology/definition/definition-schema.ts'
import type { ScalarType } from '../../ontology/definition/property-type.ts'

export type { ScalarType }

export type PropertyType =
  | { readonly type: ScalarType }
  | { readonly type: 'array'; readonly items: PropertyType }
  | { readonly type: 'struct'; readonly fields: Readonly<Record<string, FieldDefinition>> }

/** A field of a struct. */
type FieldDefinition = PropertyType & { readonly renamedFrom?: string }

export type PropertyDefinition = PropertyType & {
  /** The name before the last rename. */
  readonly renamedFrom?: string
  readonly displayName?: string
  readonly description?: string
  /** The language in which other forms of a term are found as well. */
  readonly language?: string
  readonly required?: boolean
  readonly default?: DefaultDefinition
  readonly valueType?: string
  readonly constraints?: readonly ConstraintDefinition[]
}

export type ValueTypes = NonNullable<FullDefinition['valueTypes']>

interface Named {
  readonly apiName: string
  readonly rid: string
  readonly displayName?: string
  readonly description?: string
}

export interface ObjectTypeDefinition extends Named {
  readonly renamedFrom?: string
  readonly primaryKey: string
  readonly titleProperty?: string
  readonly properties: Readonly<Record<string, PropertyDefinition>>
}

export interface OntologyDefinition extends Named {
  readonly families?: readonly string[]
  readonly objectTypes: readonly ObjectTypeDefinition[]
  readonly valueTypes?: ValueTypes
  readonly linkTypes?: readonly LinkTypeDefinition[]
}

/** One side of a link type, as seen from an object type. */
export interface LinkSide {
  readonly apiName: string
  readonly target: string
  readonly cardinality: 'one' | 'many'
  /** The property with the key of the other object: of this type for `one`, of the target for `many`. */
  readonly foreignKey: string
}

export function findType(
  { objectTypes }: OntologyDefinition,
  apiName: string,
): ObjectTypeDefinition | undefined {
  return objectTypes.find((type) => type.apiName === apiName)
}

/** Returns the type that once had a name. */
export function findRenamedType(
  { objectTypes }: OntologyDefinition,
  earlierName: string,
): ObjectTypeDefinition | undefined {
  return objectTypes.find(({ renamedFrom }) => renamedFrom === earlierName)
}

/** Returns the links of an object type, in both directions. */
export function linksOf({ linkTypes = [] }: OntologyDefinition, objectType: string): LinkSide[] {
  return linkTypes.flatMap(({ apiName, reverseApiName, from, to, foreignKey }): LinkSide[] => [
    ...(from === objectType
      ? [{ apiName, target: to, cardinality: 'one' as const, foreignKey }]
      : []),
    ...(to === objectType && reverseApiName !== undefined
      ? [{ apiName: reverseApiName, target: from, cardinality: 'many' as const, foreignKey }]
      : []),
  ])
}

/** Returns the link whose foreign key a property is; undefined if it is none. */
export function linkAt(
  ontology: OntologyDefinition,
  objectType: string,
  property: string,
): LinkSide | undefined {
  return linksOf(ontology, objectType).find(
    ({ cardinality, foreignKey }) => cardinality === 'one' && foreignKey === property,
  )
}

/** Returns the type of a property, and its language. */
export function typeNote({ type, language }: PropertyDefinition): string {
  return language === undefined ? type : `${type} in ${language}`
}

/** Returns the display name, or the API name split into words. */
export function nameOf(named: { readonly apiName: string; readonly displayName?: string }): string {
  return named.displayName ?? wordsOf(named.apiName)
}

/** Returns the display name of a property, or its API name split into words. */
export function nameOfProperty(
  apiName: string,
  definition: { readonly displayName?: string } | undefined,
): string {
  return definition?.displayName ?? wordsOf(apiName)
}

/** Words that are written in capitals when they are a name of their own. */
const ACRONYMS: ReadonlySet<string> = new Set(['id', 'iata', 'icao', 'rid', 'url', 'uri', 'uuid'])

/** Splits an API name: `runwayFeet` and `runway_feet` become "Runway feet". */
export function wordsOf(apiName: string): string {
  const words = apiName
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[\s_.-]+/)
    .filter(Boolean)
    .map((word) => {
      const lower = word.toLowerCase()
      if (ACRONYMS.has(lower)) return lower.toUpperCase()
      return /^[A-Z\d]+$/.test(word) ? word : lower
    })
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

type TypeName = PropertyType['type']

const WHOLE: readonly unknown[] = ['byte', 'short', 'integer', 'long']
/** JSON writes the others as text, so that no digit is lost. */
const JSON_NUMBERS: readonly unknown[] = ['byte', 'short', 'integer', 'float', 'double']

export function isNumber(type: TypeName | undefined): boolean {
  return isWholeNumber(type) || isJsonNumber(type) || type === 'decimal'
}

export function isWholeNumber(type: TypeName | undefined): boolean {
  return WHOLE.includes(type)
}

/** True if the values of a type are numbers in JSON as well. */
export function isJsonNumber(type: TypeName | undefined): boolean {
  return JSON_NUMBERS.includes(type)
}

/** An object as the screens use it. */
export interface ObjectRecord {
  readonly key: string | number | boolean
  readonly title: string | undefined
  readonly properties: Readonly<Record<string, unknown>>
}

/** Reads an object as v2 sends it. */
export function readRecord(json: FlatRecord): ObjectRecord {
  const { __primaryKey: key, __title: title } = json
  const members = Object.entries(json).filter(([name]) => !name.startsWith('__'))
  const properties = withoutPrototype(Object.fromEntries(members))
  return { key: key as ObjectRecord['key'], title, properties }
}

/** Reads an object of an export, which has the properties alone. */
export function readExported(
  json: ObjectRecord['properties'],
  { primaryKey, titleProperty }: { readonly primaryKey: string; readonly titleProperty?: string },
): ObjectRecord {
  const properties = withoutPrototype(json)
  const title = titleProperty === undefined ? undefined : properties[titleProperty]
  return {
    key: properties[primaryKey] as ObjectRecord['key'],
    title: title === undefined || title === null ? undefined : String(title),
    properties,
  }
}

/** A property that an object lacks can be called `constructor`, which the prototype of all objects has. */
function withoutPrototype(members: Readonly<Record<string, unknown>>): ObjectRecord['properties'] {
  return Object.assign(Object.create(null), members)
}

/** Returns a key as it stands in a path of the API. */
export function keyText(key: ObjectRecord['key']): string {
  return String(key)
}

/** Returns the position in a GeoJSON point; undefined if there is none. */
export function positionOf(
  value: unknown,
): readonly [longitude: number, latitude: number] | undefined {
  const { coordinates } = (value ?? {}) as { readonly coordinates?: readonly unknown[] }
  const [longitude, latitude] = coordinates ?? []
  return typeof longitude === 'number' && typeof latitude === 'number'
    ? [longitude, latitude]
    : undefined
}
