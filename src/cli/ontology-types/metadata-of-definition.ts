/** Converts an ontology definition from a file. It has object types and links, but no actions. */
import type { DataType, FullMetadata, FullObjectType } from './full-metadata.ts'

/** The members of a definition that the generator uses. */
export interface FileDefinition {
  readonly apiName: string
  readonly rid?: string
  readonly description?: string
  readonly objectTypes: readonly FileObjectType[]
  readonly linkTypes?: readonly FileLinkType[]
}

interface FileObjectType {
  readonly apiName: string
  readonly rid?: string
  readonly displayName?: string
  readonly description?: string
  readonly primaryKey: string
  readonly titleProperty?: string
  readonly properties: Readonly<Record<string, FileProperty>>
}

interface FileProperty {
  readonly type: string
  readonly displayName?: string
  readonly description?: string
  readonly required?: boolean
  readonly items?: FileProperty
  readonly fields?: Readonly<Record<string, FileProperty>>
}

interface FileLinkType {
  readonly apiName: string
  readonly reverseApiName?: string
  readonly from: string
  readonly to: string
}

export function metadataOf(definition: FileDefinition): FullMetadata {
  const { objectTypes, linkTypes = [], rid = '', ...ontology } = definition
  const types = objectTypes.map((type) => [type.apiName, toObjectType(type, linkTypes)])
  return { ontology: { ...ontology, rid }, objectTypes: Object.fromEntries(types) }
}

/** The icon that the service returns for every object type. */
const ICON = { name: 'cube', color: '#4C90F0' }

function toObjectType(type: FileObjectType, linkTypes: readonly FileLinkType[]): FullObjectType {
  const { apiName, primaryKey, displayName = apiName } = type
  const properties = Object.entries(type.properties).map(([name, property]) => [
    name,
    {
      ...property,
      dataType: toDataType(property),
      ...(property.required && { dataConstraints: { nullability: 'NO_EXPLICIT_NULLS' } }),
    },
  ])
  return {
    objectType: {
      rid: '',
      titleProperty: primaryKey,
      ...type,
      displayName,
      pluralDisplayName: displayName,
      icon: ICON,
      properties: Object.fromEntries(properties),
    },
    linkTypes: linkTypes.flatMap((link) => sidesOf(link, apiName)),
  }
}

/** A link type leads from the object with the foreign key to one object, and back to many. */
function sidesOf(
  { apiName, reverseApiName, from, to }: FileLinkType,
  type: string,
): FullObjectType['linkTypes'] {
  const isReverse = to === type && reverseApiName !== undefined
  return [
    ...(from === type ? [{ apiName, objectTypeApiName: to, cardinality: 'ONE' as const }] : []),
    ...(isReverse
      ? [{ apiName: reverseApiName, objectTypeApiName: from, cardinality: 'MANY' as const }]
      : []),
  ]
}

function toDataType({ type, items, fields = {} }: FileProperty): DataType {
  if (type === 'array' && items !== undefined) return { type, subType: toDataType(items) }
  if (type !== 'struct') return { type }
  const structFieldTypes = Object.entries(fields).map(([apiName, field]) => ({
    apiName,
    dataType: toDataType(field),
  }))
  return { type, structFieldTypes }
}
