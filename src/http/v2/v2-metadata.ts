/** The metadata of v2: ontologies, object types and link types as JSON, and their schemas. */

import { Type } from 'typebox'
import { anyMembers, text } from '../../contract/schema-parts.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { propertyRid } from '../../ontology/definition/rid.ts'
import type { LinkSide, ObjectType, Ontology } from '../../ontology/ontology.ts'
import { ActionTypeV2Response, describeActionTypeV2 } from '../actions/describe-action-type.ts'
import {
  describeLink,
  describeOntology,
  LinkTypeResponse,
  OntologyResponse,
} from '../metadata/shared-metadata.ts'
import { DataType, dataType } from './data-type.ts'
import {
  describeSharedPropertyTypes,
  ImplementationResponse,
  implementationsDescriber,
  interfaceTypeDescriber,
} from './interface-metadata.ts'

const ObjectProperty = Type.Object({
  description: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
  dataType: DataType,
  language: Type.Optional(text('The language in which other forms of a term are found as well.')),
  rid: Type.String(),
  visibility: Type.Enum(['NORMAL']),
  typeClasses: Type.Array(Type.Unknown()),
})

export const ObjectTypeResponse = Type.Object({
  apiName: Type.String(),
  displayName: Type.String(),
  status: Type.Enum(['ACTIVE']),
  description: Type.Optional(Type.String()),
  pluralDisplayName: Type.String(),
  icon: Type.Object({
    type: Type.Enum(['blueprint']),
    name: Type.String(),
    color: Type.String(),
  }),
  primaryKey: text('API name of the primary key property.'),
  properties: Type.Record(Type.String(), ObjectProperty, { description: 'By API name.' }),
  rid: Type.String(),
  titleProperty: text('The primary key property if the definition names none.'),
  visibility: Type.Enum(['NORMAL']),
})

export const LinkTypeV2Response = Type.Object({
  ...LinkTypeResponse.properties,
  linkTypeRid: text('Both sides of a link type have the same RID.'),
})

export const FullObjectTypeResponse = Type.Object({
  objectType: ObjectTypeResponse,
  linkTypes: Type.Array(LinkTypeV2Response),
  implementsInterfaces: Type.Array(Type.String()),
  implementsInterfaces2: Type.Record(Type.String(), ImplementationResponse, {
    description: 'By API name of the interface.',
  }),
  sharedPropertyTypeMapping: anyMembers(),
})

export const FullOntologyResponse = Type.Object({
  ontology: OntologyResponse,
  objectTypes: Type.Record(Type.String(), FullObjectTypeResponse, { description: 'By API name.' }),
  actionTypes: Type.Record(Type.String(), ActionTypeV2Response, { description: 'By API name.' }),
  actionTypesFullMetadata: Type.Record(
    Type.String(),
    Type.Object({ actionType: ActionTypeV2Response, fullLogicRules: Type.Array(Type.Never()) }),
    { description: 'By API name. Rules are not described: an action does what its name says.' },
  ),
  queryTypes: anyMembers(),
  interfaceTypes: anyMembers(),
  sharedPropertyTypes: anyMembers(),
  valueTypes: anyMembers(),
})

/** Returns a function that describes the object types of an ontology. */
export function objectTypeDescriber({ definition }: Ontology) {
  const definitions = new Map(definition.objectTypes.map((type) => [type.apiName, type]))
  return (objectType: ObjectType) =>
    describeObjectType(objectType, definitions.get(objectType.apiName))
}

/** Published clients require an icon; definitions have none. */
const ICON = { type: 'blueprint', name: 'cube', color: '#4C90F0' } as const

function describeObjectType(objectType: ObjectType, definition: ObjectTypeDefinition | undefined) {
  const { apiName, rid, primaryKey, titleProperty = primaryKey.apiName, properties } = objectType
  const displayName = definition?.displayName ?? apiName
  return {
    apiName,
    displayName,
    status: 'ACTIVE',
    description: definition?.description,
    pluralDisplayName: displayName,
    icon: ICON,
    primaryKey: primaryKey.apiName,
    properties: Object.fromEntries(
      [...properties].map(([name, { type, language }]) => {
        const { description, displayName } = definition?.properties[name] ?? {}
        const property = {
          description,
          displayName,
          dataType: dataType(type, rid, name),
          language,
          rid: propertyRid(rid, name),
          visibility: 'NORMAL',
          typeClasses: [],
        }
        return [name, property]
      }),
    ),
    rid,
    titleProperty,
    visibility: 'NORMAL',
  }
}

export function describeLinkV2(side: LinkSide) {
  return { ...describeLink(side), linkTypeRid: side.rid }
}

/** Returns a function that describes the object types of an ontology, with links and interfaces. */
export function fullObjectTypeDescriber(ontology: Ontology) {
  const describe = objectTypeDescriber(ontology)
  const links = Map.groupBy(ontology.linkSides, ({ objectType }) => objectType)
  const describeImplementations = implementationsDescriber(ontology)
  return (objectType: ObjectType) => ({
    objectType: describe(objectType),
    linkTypes: (links.get(objectType) ?? []).map(describeLinkV2),
    ...describeImplementations(objectType),
  })
}

/** Returns an ontology with everything that it defines. */
export function describeFullOntology(ontology: Ontology) {
  const describe = fullObjectTypeDescriber(ontology)
  const describeInterface = interfaceTypeDescriber(ontology)
  const actionTypes = [...ontology.actionTypes].map(
    ([apiName, one]) => [apiName, describeActionTypeV2(one)] as const,
  )
  return {
    ontology: describeOntology({ ...ontology.definition, rid: ontology.rid }),
    objectTypes: Object.fromEntries(
      [...ontology.objectTypes].map(([apiName, type]) => [apiName, describe(type)]),
    ),
    actionTypes: Object.fromEntries(actionTypes),
    actionTypesFullMetadata: Object.fromEntries(
      actionTypes.map(([apiName, actionType]) => [apiName, { actionType, fullLogicRules: [] }]),
    ),
    queryTypes: {},
    interfaceTypes: Object.fromEntries(
      [...ontology.interfaceTypes].map(([apiName, type]) => [apiName, describeInterface(type)]),
    ),
    sharedPropertyTypes: describeSharedPropertyTypes(ontology),
    valueTypes: {},
  }
}
