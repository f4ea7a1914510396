import { Type } from 'typebox'
import { namedObject, text, texts } from '../../contract/schema-parts.ts'
import { baseType } from '../../ontology/definition/base-type.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import {
  describeLink,
  LinkTypeResponse,
  linkTypes,
  objectTypes,
  objectTypesSource,
  ontologies,
} from '../metadata/shared-metadata.ts'

const REVISION_1 = '/api/v1/ontologies'

const ObjectTypeResponse = namedObject('ObjectType', {
  apiName: Type.String(),
  displayName: Type.Optional(Type.String()),
  status: Type.Enum(['ACTIVE']),
  description: Type.Optional(Type.String()),
  visibility: Type.Enum(['NORMAL']),
  primaryKey: texts('API name of the primary key property.'),
  properties: Type.Record(
    Type.String(),
    namedObject('Property', {
      description: Type.Optional(Type.String()),
      displayName: Type.Optional(Type.String()),
      baseType: text('The type, such as `String` or `Array<LocalDate>`.'),
      language: Type.Optional(
        text('The language in which other forms of a term are found as well.'),
      ),
    }),
    { description: 'By API name.' },
  ),
  rid: Type.String(),
})

function objectTypeDescriber({ definition }: Ontology) {
  const definitions = new Map(definition.objectTypes.map((type) => [type.apiName, type]))
  return (objectType: ObjectType) =>
    describeObjectType(objectType, definitions.get(objectType.apiName))
}

function describeObjectType(
  { apiName, rid, primaryKey, properties }: ObjectType,
  definition: ObjectTypeDefinition | undefined,
) {
  return {
    apiName,
    displayName: definition?.displayName,
    status: 'ACTIVE',
    description: definition?.description,
    visibility: 'NORMAL',
    primaryKey: [primaryKey.apiName],
    properties: Object.fromEntries(
      [...properties].map(([name, { type, language }]) => {
        const { description, displayName } = definition?.properties[name] ?? {}
        return [name, { description, displayName, baseType: baseType(type), language }]
      }),
    ),
    rid,
  }
}

export const revision1Metadata = [
  ...ontologies(REVISION_1, ['listOntologies', 'getOntology']),
  ...objectTypes(objectTypesSource(REVISION_1, objectTypeDescriber, ObjectTypeResponse), [
    'listObjectTypes',
    'getObjectType',
  ]),
  ...linkTypes(
    REVISION_1,
    ['listOutgoingLinkTypes', 'getOutgoingLinkType'],
    describeLink,
    LinkTypeResponse,
  ),
]
