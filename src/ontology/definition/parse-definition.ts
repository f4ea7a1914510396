/**
 * Parses an ontology definition, or refuses it with the path and the reason of every mistake. The
 * schema has already checked the shape of the parts; this module checks that they are consistent.
 */

import type { LinkType, ObjectType, Ontology, Property } from '../ontology.ts'
import type {
  LinkTypeDefinition,
  ObjectTypeDefinition,
  OntologyDefinition,
} from './definition-schema.ts'
import { type Mistake, refuseMistakes } from './mistakes.ts'
import { parseImplementations } from './parse-implementations.ts'
import { parseInterfaceTypes, parseSharedPropertyTypes } from './parse-interfaces.ts'
import { parsePropertyType } from './parse-property-type.ts'
import { ParsedOntology } from './parsed-ontology.ts'
import {
  isPrimaryKeyType,
  isTitleType,
  PRIMARY_KEY_TYPES,
  type ScalarType,
  typeName,
} from './property-type.ts'

/** Parses a definition with all its RIDs, which `change-definition.ts` fills in. */
export function parseDefinition(definition: OntologyDefinition): Ontology {
  const mistakes: Mistake[] = []
  const objectTypes = new Map<string, ObjectType>()
  const names = new Set<string>()
  definition.objectTypes.forEach((type, index) => {
    const path = `objectTypes[${index}]`
    if (names.has(type.apiName)) {
      mistakes.push({ path: `${path}.apiName`, reason: `${type.apiName} is defined twice` })
    }
    names.add(type.apiName)
    const parsed = parseObjectType(type, path, mistakes)
    if (parsed !== undefined) objectTypes.set(type.apiName, parsed)
  })
  refuseRepeats(definition.families ?? [], 'families', mistakes)
  const sharedPropertyTypes = parseSharedPropertyTypes(definition, mistakes)
  // Each further part is checked only if the parts that it refers to are valid.
  refuseMistakes(mistakes)
  const linkTypes = parseLinkTypes(definition.linkTypes ?? [], objectTypes, mistakes)
  const views = parseInterfaceTypes(definition, sharedPropertyTypes, objectTypes, mistakes)
  refuseMistakes(mistakes)
  const parts = { objectTypes, linkTypes, views }
  const interfaceTypes = parseImplementations(definition.objectTypes, parts, mistakes)
  refuseMistakes(mistakes)
  return new ParsedOntology({
    rid: definition.rid ?? '',
    apiName: definition.apiName,
    families: definition.families ?? [],
    objectTypes,
    linkTypes,
    sharedPropertyTypes,
    interfaceTypes,
    definition,
  })
}

function parseObjectType(
  type: ObjectTypeDefinition,
  path: string,
  mistakes: Mistake[],
): ObjectType | undefined {
  const properties = new Map<string, Property>()
  for (const [apiName, property] of Object.entries(type.properties)) {
    const parsed = parsePropertyType(property, () => `${path}.properties.${apiName}`, mistakes)
    if (parsed !== undefined) properties.set(apiName, { apiName, type: parsed })
  }

  if (type.titleProperty !== undefined) {
    const titleType = scalarTypeOf(properties.get(type.titleProperty))
    if (!Object.hasOwn(type.properties, type.titleProperty)) {
      const reason = `the object type has no property ${type.titleProperty}`
      mistakes.push({ path: `${path}.titleProperty`, reason })
    } else if (titleType === undefined || !isTitleType(titleType)) {
      const reason =
        'a title property must be a string, number, boolean, date, timestamp or marking'
      mistakes.push({ path: `${path}.titleProperty`, reason })
    }
  }

  const keyType = scalarTypeOf(properties.get(type.primaryKey))
  if (!Object.hasOwn(type.properties, type.primaryKey)) {
    const reason = `the object type has no property ${type.primaryKey}`
    mistakes.push({ path: `${path}.primaryKey`, reason })
    return undefined
  }
  if (keyType === undefined || !isPrimaryKeyType(keyType)) {
    const reason = `a primary key must have one of the types ${PRIMARY_KEY_TYPES.join(', ')}`
    mistakes.push({ path: `${path}.primaryKey`, reason })
    return undefined
  }
  return {
    apiName: type.apiName,
    rid: type.rid ?? '',
    primaryKey: { apiName: type.primaryKey, type: keyType },
    titleProperty: type.titleProperty,
    retrievalLimit: type.retrievalLimit,
    properties,
  }
}

function parseLinkTypes(
  definitions: readonly LinkTypeDefinition[],
  objectTypes: ReadonlyMap<string, ObjectType>,
  mistakes: Mistake[],
): LinkType[] {
  const sides = new Set<string>()
  const addSide = (objectType: string, apiName: string, path: string) => {
    const side = `${objectType}/${apiName}`
    if (sides.has(side)) {
      mistakes.push({ path, reason: `${objectType} already has a link ${apiName}` })
    }
    sides.add(side)
  }
  return definitions.map((link, index) => {
    const path = `linkTypes[${index}]`
    const from = objectTypes.get(link.from)
    const to = objectTypes.get(link.to)
    for (const end of ['from', 'to'] as const) {
      if (!objectTypes.has(link[end])) {
        mistakes.push({
          path: `${path}.${end}`,
          reason: `the ontology has no object type ${link[end]}`,
        })
      }
    }
    const foreignKey = from?.properties.get(link.foreignKey)
    if (from !== undefined && foreignKey === undefined) {
      const reason = `${link.from} has no property ${link.foreignKey}`
      mistakes.push({ path: `${path}.foreignKey`, reason })
    }
    if (to !== undefined && foreignKey !== undefined) {
      if (scalarTypeOf(foreignKey) !== to.primaryKey.type) {
        const reason = `has type ${typeName(foreignKey.type)}, but the primary key of ${link.to} has type ${to.primaryKey.type}`
        mistakes.push({ path: `${path}.foreignKey`, reason })
      }
    }
    addSide(link.from, link.apiName, `${path}.apiName`)
    if (link.reverseApiName !== undefined) {
      addSide(link.to, link.reverseApiName, `${path}.reverseApiName`)
    }
    return {
      apiName: link.apiName,
      reverseApiName: link.reverseApiName,
      from: link.from,
      to: link.to,
      foreignKey: link.foreignKey,
    }
  })
}

function scalarTypeOf(property: Property | undefined): ScalarType | undefined {
  return property?.type.kind === 'scalar' ? property.type.type : undefined
}

function refuseRepeats(names: readonly string[], path: string, mistakes: Mistake[]): void {
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index) {
      mistakes.push({ path: `${path}[${index}]`, reason: `${name} is listed twice` })
    }
  })
}
