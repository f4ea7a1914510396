/** The metadata of v2: ontologies, object types, link types, interface types and query types. */

import { Type } from 'typebox'
import { resolveInterfacePath } from '../../access/find-visible.ts'
import { RID_BATCH_MAX } from '../../contract/limits.ts'
import { anyMembers, namedObject, text } from '../../contract/schema-parts.ts'
import {
  findInterfaceLink,
  findInterfaceType,
  findObjectType,
  findValueType,
} from '../../ontology/catalogue.ts'
import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import { propertyRid } from '../../ontology/definition/rid.ts'
import type {
  InterfaceLink,
  InterfaceType,
  LinkSide,
  ObjectType,
  Ontology,
} from '../../ontology/ontology.ts'
import { PAGE_SIZES } from '../../paging/page-limits.ts'
import { ActionTypeV2Response, describeActionTypeV2 } from '../actions/describe-action-type.ts'
import { MetadataCollection } from '../metadata/metadata-collection.ts'
import {
  type MetadataSource,
  metadataBatch,
  metadataItem,
  metadataList,
  metadataListAndItem,
  ontologySource,
} from '../metadata/metadata-endpoints.ts'
import {
  describeLink,
  describeOntology,
  LinkTypeResponse,
  linkTypes,
  OntologyResponse,
  objectTypes,
  objectTypesSource,
  ontologies,
  ontologyItem,
} from '../metadata/shared-metadata.ts'
import { DataType, dataType } from './data-type.ts'
import {
  describeSharedPropertyTypes,
  ImplementationResponse,
  InterfaceLinkResponse,
  InterfaceTypeResponse,
  implementationsDescriber,
  interfaceLinkDescriber,
  interfaceTypeDescriber,
} from './interface-metadata.ts'
import {
  describeRules,
  namedValueType,
  RULE_MEMBERS,
  ValueTypeResponse,
  valueTypeDescriber,
} from './value-types.ts'

const ObjectProperty = namedObject('PropertyV2', {
  description: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
  dataType: DataType,
  language: Type.Optional(text('The language in which other forms of a term are found as well.')),
  rid: Type.String(),
  visibility: Type.Enum(['NORMAL']),
  ...RULE_MEMBERS,
  typeClasses: Type.Array(Type.Unknown()),
})

const ObjectTypeResponse = namedObject('ObjectTypeV2', {
  apiName: Type.String(),
  displayName: Type.String(),
  status: Type.Enum(['ACTIVE']),
  description: Type.Optional(Type.String()),
  pluralDisplayName: Type.String(),
  icon: namedObject('ObjectTypeIcon', {
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

const LinkTypeV2Response = namedObject('LinkTypeV2', {
  ...LinkTypeResponse.properties,
  linkTypeRid: text('Both sides of a link type have the same RID.'),
})

const FullObjectTypeResponse = namedObject('ObjectTypeFullMetadata', {
  objectType: ObjectTypeResponse,
  linkTypes: Type.Array(LinkTypeV2Response),
  implementsInterfaces: Type.Array(Type.String()),
  implementsInterfaces2: Type.Record(Type.String(), ImplementationResponse, {
    description: 'By API name of the interface.',
  }),
  sharedPropertyTypeMapping: anyMembers(),
})

const FullOntologyResponse = namedObject('OntologyFullMetadata', {
  ontology: OntologyResponse,
  objectTypes: Type.Record(Type.String(), FullObjectTypeResponse, { description: 'By API name.' }),
  actionTypes: Type.Record(Type.String(), ActionTypeV2Response, { description: 'By API name.' }),
  actionTypesFullMetadata: Type.Record(
    Type.String(),
    namedObject('ActionTypeFullMetadata', {
      actionType: ActionTypeV2Response,
      fullLogicRules: Type.Array(Type.Never()),
    }),
    { description: 'By API name. Rules are not described: an action does what its name says.' },
  ),
  queryTypes: anyMembers(),
  interfaceTypes: anyMembers(),
  sharedPropertyTypes: anyMembers(),
  valueTypes: Type.Record(Type.String(), ValueTypeResponse, { description: 'By API name.' }),
})

/** Returns a function that describes the object types of an ontology. */
function objectTypeDescriber({ definition }: Ontology) {
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
      [...properties].map(([name, { type, language, rules }]) => {
        const { description, displayName } = definition?.properties[name] ?? {}
        const property = {
          description,
          displayName,
          dataType: dataType(type, rid, name),
          language,
          rid: propertyRid(rid, name),
          visibility: 'NORMAL',
          ...describeRules(rules),
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

function describeLinkV2(side: LinkSide) {
  return { ...describeLink(side), linkTypeRid: side.rid }
}

/** Returns a function that describes the object types of an ontology, with links and interfaces. */
function fullObjectTypeDescriber(ontology: Ontology) {
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
function describeFullOntology(ontology: Ontology) {
  const describe = fullObjectTypeDescriber(ontology)
  const describeInterface = interfaceTypeDescriber(ontology)
  const describeValueType = valueTypeDescriber(ontology)
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
    valueTypes: Object.fromEntries(
      [...ontology.valueTypes].map(([apiName, type]) => [
        apiName,
        describeValueType(namedValueType(ontology, type)),
      ]),
    ),
  }
}

const V2 = '/api/v2/ontologies'

const typesSource = objectTypesSource(V2, objectTypeDescriber, ObjectTypeResponse)
const fullTypesSource = objectTypesSource(V2, fullObjectTypeDescriber, FullObjectTypeResponse)

const interfaceTypes = ontologySource(V2, '/:ontology/interfaceTypes', InterfaceTypeResponse, {
  items: ({ interfaceTypes: types }) => types.values(),
  describer: interfaceTypeDescriber,
})

const interfaceLinkTypes: MetadataSource<InterfaceType, InterfaceLink> = {
  api: V2,
  path: '/:ontology/interfaceTypes/:interfaceType/outgoingLinkTypes',
  resolve: (viewer, path) => {
    const { ontology, interfaceType } = resolveInterfacePath(viewer, path)
    return { ontology, owner: interfaceType }
  },
  collection: new MetadataCollection({
    items: ({ allLinks }) => allLinks.values(),
    describer: interfaceLinkDescriber,
  }),
  response: InterfaceLinkResponse,
}

const valueTypes = ontologySource(V2, '/:ontology/valueTypes', ValueTypeResponse, {
  items: (ontology) => ontology.valueTypes.values().map((type) => namedValueType(ontology, type)),
  describer: valueTypeDescriber,
})

/** An ontology defines no functions, so there are no query types. */
const queryTypes = ontologySource(V2, '/:ontology/queryTypes', Type.Unknown(), {
  items: () => [],
  describer: () => (item) => item,
})

const fullMetadata = {
  operationId: 'getOntologyFullMetadata',
  summary: 'Get an ontology with everything that it defines',
  path: '/fullMetadata',
}

export const v2Metadata = [
  ...ontologies(V2, ['listOntologiesV2', 'getOntologyV2']),
  ontologyItem(V2, fullMetadata, FullOntologyResponse, describeFullOntology),
  ...objectTypes(typesSource, ['listObjectTypesV2', 'getObjectTypeV2']),
  metadataItem(fullTypesSource, {
    operationId: 'getObjectTypeFullMetadata',
    summary: 'Get an object type with its links and interfaces',
    path: '/:objectType/fullMetadata',
    find: ({ ontology }, { objectType }) => findObjectType(ontology, objectType),
  }),
  metadataBatch(typesSource, {
    operationId: 'getObjectTypesByRid',
    summary: 'Get object types by RID',
    description: `At most ${RID_BATCH_MAX} per request. Object types that do not exist are absent from the response.`,
    ridMember: 'objectTypeRid',
  }),
  ...linkTypes(
    V2,
    ['listOutgoingLinkTypesV2', 'getOutgoingLinkTypeV2'],
    describeLinkV2,
    LinkTypeV2Response,
  ),
  ...metadataListAndItem(interfaceTypes, {
    operationIds: ['listInterfaceTypes', 'getInterfaceType'],
    summaries: ['List interface types', 'Get an interface type'],
    maximumPageSize: PAGE_SIZES.listInterfaceTypes,
    path: '/:interfaceType',
    find: ({ ontology }, { interfaceType }) => findInterfaceType(ontology, interfaceType),
  }),
  ...metadataListAndItem(interfaceLinkTypes, {
    operationIds: ['listInterfaceLinkTypes', 'getInterfaceLinkType'],
    summaries: ['List the link types of an interface type', 'Get a link type of an interface type'],
    description: 'Ordered by API name, including those of the interfaces that it extends.',
    maximumPageSize: PAGE_SIZES.listLinkTypes,
    path: '/:interfaceLinkType',
    find: ({ owner }, { interfaceLinkType }) => findInterfaceLink(owner, interfaceLinkType),
  }),
  ...metadataListAndItem(valueTypes, {
    operationIds: ['listValueTypes', 'getValueType'],
    summaries: ['List value types', 'Get a value type'],
    maximumPageSize: PAGE_SIZES.listValueTypes,
    path: '/:valueType',
    find: ({ ontology }, { valueType }) =>
      namedValueType(ontology, findValueType(ontology, valueType)),
  }),
  metadataList(queryTypes, {
    operationId: 'listQueryTypes',
    summary: 'List query types',
    description: 'Always empty: ontologies here have no functions.',
    maximumPageSize: PAGE_SIZES.listQueryTypes,
  }),
]
