/** Reads the full metadata of an ontology, as v2 returns it. */
import type {
  ActionOperation,
  ActionParameter,
  DataType,
  FullMetadata,
  WireProperty,
} from './full-metadata.ts'
import {
  byApiName,
  type FieldModel,
  type ParameterTypeModel,
  type TypeModel,
} from './types-model.ts'

/**
 * What types are generated from, also if it is read from a file. All lists are sorted by API name,
 * so that equal ontologies give equal text.
 */
export type OntologyModel = ReturnType<typeof modelOfMetadata>
export type ObjectTypeModel = OntologyModel['objectTypes'][number]
export type InterfaceModel = OntologyModel['interfaces'][number]
export type ActionModel = OntologyModel['actions'][number]
export type PropertyModel = ObjectTypeModel['properties'][number]
export type LinkModel = ObjectTypeModel['links'][number]

export function modelOfMetadata(metadata: FullMetadata) {
  const { ontology, objectTypes, interfaceTypes = {}, actionTypes = {} } = metadata
  return {
    apiName: ontology.apiName,
    rid: ontology.rid,
    description: ontology.description || undefined,
    objectTypes: Object.values(objectTypes).map(toObjectType).toSorted(byApiName),
    interfaces: Object.values(interfaceTypes).map(toInterface).toSorted(byApiName),
    actions: Object.values(actionTypes).map(toAction).toSorted(byApiName),
  }
}

function toObjectType(full: FullMetadata['objectTypes'][string]) {
  const { objectType, linkTypes, implementsInterfaces2 = {} } = full
  return {
    apiName: objectType.apiName,
    rid: objectType.rid,
    displayName: objectType.displayName,
    pluralDisplayName: objectType.pluralDisplayName,
    description: objectType.description,
    icon: objectType.icon,
    primaryKey: objectType.primaryKey,
    titleProperty: objectType.titleProperty,
    properties: toProperties(objectType.properties),
    links: linkTypes
      .map(({ apiName, objectTypeApiName, cardinality }) => ({
        apiName,
        target: objectTypeApiName,
        leadsToInterface: false,
        isMany: cardinality === 'MANY',
      }))
      .toSorted(byApiName),
    interfaces: Object.entries(implementsInterfaces2)
      .map(([apiName, { properties = {} }]) => ({
        apiName,
        properties: Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      }))
      .toSorted(byApiName),
  }
}

function toInterface(type: NonNullable<FullMetadata['interfaceTypes']>[string]) {
  const links = Object.entries(type.allLinks ?? type.links ?? {})
  return {
    apiName: type.apiName,
    rid: type.rid,
    displayName: type.displayName,
    description: type.description,
    extends: (type.allExtendsInterfaces ?? type.extendsInterfaces ?? []).toSorted(),
    implementedBy: (type.implementedByObjectTypes ?? []).toSorted(),
    properties: toProperties(type.allProperties ?? type.properties),
    links: links
      .map(([apiName, { linkedEntityApiName, cardinality }]) => ({
        apiName,
        target: linkedEntityApiName.apiName,
        leadsToInterface: linkedEntityApiName.type === 'interfaceTypeApiName',
        isMany: cardinality === 'MANY',
      }))
      .toSorted(byApiName),
  }
}

function toProperties(properties: Readonly<Record<string, WireProperty>>) {
  return Object.entries(properties)
    .map(([apiName, { dataType, displayName, description }]) => ({
      apiName,
      type: toType(dataType),
      displayName,
      description,
    }))
    .toSorted(byApiName)
}

function toType(dataType: DataType): TypeModel {
  switch (dataType.type) {
    case 'array':
      return { kind: 'array', items: toType(dataType.subType ?? { type: 'string' }) }
    case 'struct':
      return { kind: 'struct', fields: (dataType.structFieldTypes ?? []).map(toField) }
    default:
      return { kind: 'scalar', type: dataType.type }
  }
}

function toField(field: { readonly apiName: string; readonly dataType: DataType }): FieldModel {
  return { apiName: field.apiName, type: toType(field.dataType) }
}

function toAction(action: NonNullable<FullMetadata['actionTypes']>[string]) {
  return {
    apiName: action.apiName,
    rid: action.rid,
    displayName: action.displayName,
    description: action.description,
    status: action.status,
    parameters: Object.entries(action.parameters)
      .map(([apiName, { dataType, required, description }]) => {
        const isMany = dataType.type === 'array'
        const type = toParameterType((isMany ? dataType.subType : undefined) ?? dataType)
        return { apiName, description, isRequired: required, isMany, type }
      })
      .toSorted(byApiName),
    modified: modifiedObjects(action.operations),
  }
}

function toParameterType(dataType: ActionParameter['dataType']): ParameterTypeModel {
  switch (dataType.type) {
    case 'object':
    case 'objectSet':
      return {
        kind: dataType.type,
        target: dataType.objectTypeApiName ?? dataType.objectApiName ?? '',
      }
    case 'interfaceObject':
      return { kind: 'interface', target: dataType.interfaceTypeApiName ?? '' }
    case 'struct':
      return {
        kind: 'struct',
        fields: (dataType.fields ?? []).map(({ name, fieldType }) => ({
          apiName: name,
          type: fieldType.type,
        })),
      }
    default:
      return { kind: 'scalar', type: dataType.type }
  }
}

/** Returns what an action does to each object type; deleted objects are not listed. */
function modifiedObjects(operations: readonly ActionOperation[]) {
  const names = new Set(
    operations.flatMap(({ objectTypeApiName = [] }) => objectTypeApiName).toSorted(),
  )
  const does = (objectType: string, type: string) =>
    operations.some((one) => one.objectTypeApiName === objectType && one.type === type)
  return [...names]
    .map((objectType) => ({
      objectType,
      isCreated: does(objectType, 'createObject') || does(objectType, 'createOrModifyObject'),
      isModified: does(objectType, 'modifyObject') || does(objectType, 'createOrModifyObject'),
    }))
    .filter(({ isCreated, isModified }) => isCreated || isModified)
}
