/**
 * Parses an ontology definition, or refuses it with the path and the reason of every mistake. The
 * schema has already checked the shape of the parts; this module checks that they are consistent.
 */

import type { LinkType, ObjectType, Ontology } from '../ontology.ts'
import { parseValueTypes } from '../parse-rules.ts'
import type {
  LinkTypeDefinition,
  ObjectTypeDefinition,
  OntologyDefinition,
} from './definition-schema.ts'
import { deriveActionTypes } from './derive-action-types.ts'
import { linkSidesOf } from './links.ts'
import { type Mistake, Mistakes } from './mistakes.ts'
import { parseImplementations } from './parse-implementations.ts'
import { parseInterfaceTypes, parseSharedPropertyTypes } from './parse-interfaces.ts'
import { parseObjectType, scalarTypeOf } from './parse-object-type.ts'
import { typeName } from './property-type.ts'

/** How a caller with limited rights sees an ontology. */
export interface OntologyView {
  readonly id: string
  /** Returns an object type as the caller sees it; parses it only if nothing can be shared. */
  readonly typeOf: (
    definition: ObjectTypeDefinition,
    parse: () => ObjectType | undefined,
  ) => ObjectType | undefined
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
  const mistakes = new Mistakes()
  const { objectTypes, linkTypes, sharedPropertyTypes, valueTypes } = parseParts(
    definition,
    mistakes,
    {
      typeOf: view?.typeOf ?? ((_, parse) => definedType(parse(), definedIn)),
    },
  )
  // Interfaces are checked only if the parts that they refer to are valid.
  mistakes.refuse()
  const views = parseInterfaceTypes(definition, sharedPropertyTypes, objectTypes, mistakes)
  mistakes.refuse()
  const parts = { objectTypes, linkTypes, views }
  const interfaceTypes = parseImplementations(definition.objectTypes, parts, mistakes)
  mistakes.refuse()
  return withDerivedParts({
    rid: definition.rid ?? '',
    apiName: definition.apiName,
    families: definition.families ?? [],
    objectTypes,
    linkTypes,
    sharedPropertyTypes,
    interfaceTypes,
    valueTypes,
    definition,
    viewId: view?.id,
  })
}

/** Adds the parts that follow from others. Few requests need them, so they are derived on first use. */
function withDerivedParts(parts: Omit<Ontology, 'linkSides' | 'actionTypes'>): Ontology {
  let linkSides: Ontology['linkSides'] | undefined
  let actionTypes: Ontology['actionTypes'] | undefined
  return {
    ...parts,
    get linkSides() {
      linkSides ??= linkSidesOf(parts.definition.linkTypes ?? [], parts.objectTypes)
      return linkSides
    },
    get actionTypes() {
      actionTypes ??= deriveActionTypes(parts.objectTypes.values())
      return actionTypes
    },
  }
}

/**
 * Returns what is inconsistent in a definition of which some parts do not match the schema. These
 * parts are not checked, nor are references to them.
 */
export function findInconsistencies(
  json: unknown,
  isMatching: (path: string) => boolean,
): readonly Mistake[] {
  const mistakes = new Mistakes()
  const definition = json as OntologyDefinition | null
  if (Array.isArray(definition?.objectTypes)) parseParts(definition, mistakes, { isMatching })
  return mistakes.all
}

interface PartOptions {
  /** Returns an object type as it is kept. */
  readonly typeOf?: OntologyView['typeOf']
  /** Returns whether the part at a path matches the schema. */
  readonly isMatching?: (path: string) => boolean
}

/** Parses object types, shared property types and links, and adds all their mistakes. */
function parseParts(
  definition: OntologyDefinition,
  mistakes: Mistakes,
  { typeOf = (_, parse) => parse(), isMatching = () => true }: PartOptions,
) {
  const valueTypes = isMatching('valueTypes')
    ? parseValueTypes(definition, mistakes)
    : new Map<string, never>()
  /** Those without mistakes. */
  const objectTypes = new Map<string, ObjectType>()
  const names = new Set<string>()
  definition.objectTypes.forEach((type, index) => {
    const path = `objectTypes[${index}]`
    const apiName = type?.apiName
    if (apiName !== undefined && names.has(apiName)) {
      mistakes.add(`${path}.apiName`, `${apiName} is defined twice`)
    }
    names.add(apiName)
    if (!isMatching(path)) return
    const before = mistakes.count
    const parsed = typeOf(type, () => parseObjectType(type, path, valueTypes, mistakes))
    if (parsed !== undefined && mistakes.count === before) objectTypes.set(apiName, parsed)
  })
  if (isMatching('families')) refuseRepeats(definition.families ?? [], 'families', mistakes)
  const sharedPropertyTypes = isMatching('sharedPropertyTypes')
    ? parseSharedPropertyTypes(definition, mistakes)
    : new Map<string, never>()
  const links = Array.isArray(definition.linkTypes) ? definition.linkTypes : []
  const linkTypes = parseLinkTypes(links, { objectTypes, names, isMatching }, mistakes)
  return { objectTypes, sharedPropertyTypes, linkTypes, valueTypes }
}

interface LinkContext {
  /** The object types without mistakes. */
  readonly objectTypes: ReadonlyMap<string, ObjectType>
  /** The names of all object types. */
  readonly names: ReadonlySet<string>
  readonly isMatching: (path: string) => boolean
}

function definedType(
  parsed: ObjectType | undefined,
  definedIn: number | undefined,
): ObjectType | undefined {
  return parsed && { ...parsed, definedIn }
}

function parseLinkTypes(
  definitions: readonly LinkTypeDefinition[],
  { objectTypes, names, isMatching }: LinkContext,
  mistakes: Mistakes,
): LinkType[] {
  const sides = new Set<string>()
  const addSide = (objectType: string, apiName: string, path: string) => {
    const side = `${objectType}/${apiName}`
    if (sides.has(side)) {
      mistakes.add(path, `${objectType} already has a link ${apiName}`)
    }
    sides.add(side)
  }
  return definitions.flatMap((link, index) => {
    const path = `linkTypes[${index}]`
    if (!isMatching(path)) return []
    const from = objectTypes.get(link.from)
    const to = objectTypes.get(link.to)
    for (const end of ['from', 'to'] as const) {
      if (!names.has(link[end])) {
        mistakes.add(`${path}.${end}`, `the ontology has no object type ${link[end]}`)
      }
    }
    const foreignKey = from?.properties.get(link.foreignKey)
    if (from !== undefined && foreignKey === undefined) {
      mistakes.add(`${path}.foreignKey`, `${link.from} has no property ${link.foreignKey}`)
    }
    if (to !== undefined && foreignKey !== undefined) {
      if (scalarTypeOf(foreignKey) !== to.primaryKey.type) {
        const reason = `has type ${typeName(foreignKey.type)}, but the primary key of ${link.to} has type ${to.primaryKey.type}`
        mistakes.add(`${path}.foreignKey`, reason)
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

function refuseRepeats(names: readonly string[], path: string, mistakes: Mistakes): void {
  names.forEach((name, index) => {
    if (names.indexOf(name) !== index) {
      mistakes.add(`${path}[${index}]`, `${name} is listed twice`)
    }
  })
}
