/** Reads the full metadata of an ontology, as v2 returns it. */
import type { ActionParameter, DataType, FullMetadata, WireProperty } from './full-metadata.ts'
import { modifiedObjects } from './modified-objects.ts'
import {
  type ActionModel,
  byApiName,
  type FieldModel,
  type InterfaceModel,
  type ObjectTypeModel,
  type OntologyModel,
  type ParameterTypeModel,
  type PropertyModel,
  type TypeModel,
} from './types-model.ts'

export function modelOfMetadata(metadata: FullMetadata): OntologyModel {
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

function toObjectType(full: FullMetadata['objectTypes'][string]): ObjectTypeModel {
  const { objectType, linkTypes, implementsInterfaces2 = {} } = full
  return {
    apiName: objectType.apiName,
    rid: objectType.rid,
    displayName: objectType.displayName,
    pluralDisplayName: objectType.pluralDisplayName,
    description: objectType.description,
    icon: { name: objectType.icon.name, color: objectType.icon.color },
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

function toInterface(type: NonNullable<FullMetadata['interfaceTypes']>[string]): InterfaceModel {
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

function toProperties(properties: Readonly<Record<string, WireProperty>>): PropertyModel[] {
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

function toAction(action: NonNullable<FullMetadata['actionTypes']>[string]): ActionModel {
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
