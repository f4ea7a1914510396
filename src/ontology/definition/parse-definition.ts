/**
 * Parses an ontology definition, or refuses it with the path and the reason of every mistake. The
 * schema has already checked the shape of the parts; this module checks that they are consistent.
 */

import type { LinkType, ObjectType, Ontology } from '../ontology.ts'
import type { LinkTypeDefinition, OntologyDefinition } from './definition-schema.ts'
import { type Mistake, refuseMistakes } from './mistakes.ts'
import { parseImplementations } from './parse-implementations.ts'
import { parseInterfaceTypes, parseSharedPropertyTypes } from './parse-interfaces.ts'
import { parseObjectType, scalarTypeOf } from './parse-object-type.ts'
import { ParsedOntology } from './parsed-ontology.ts'
import { typeName } from './property-type.ts'

/** How a caller with limited rights sees an ontology. */
export interface OntologyView {
  readonly id: string
  /** Returns an object type as the caller sees it. */
  readonly typeOf: (parsed: ObjectType) => ObjectType
}

/**
 * Parses a definition with all its RIDs, which `change-definition.ts` fills in. A store passes the
 * generation of the catalogue that it read the definition from.
 */
export function parseDefinition(
  definition: OntologyDefinition,
  definedIn?: number,
  view?: OntologyView,
): Ontology {
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
    if (parsed === undefined) return
    objectTypes.set(type.apiName, view?.typeOf(parsed) ?? { ...parsed, definedIn })
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
    viewId: view?.id,
  })
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

function refuseRepeats(names: readonly string[], path: string, mistakes: Mistake[]): void {
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index) {
      mistakes.push({ path: `${path}[${index}]`, reason: `${name} is listed twice` })
    }
  })
}
