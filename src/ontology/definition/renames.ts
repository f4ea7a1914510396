/**
 * Resolves `renamedFrom`: an instruction to keep what is stored under another name. It is carried
 * out once, and is then no part of the definition, so the same file can be applied again.
 */

import type { Ontology } from '../ontology.ts'
import type {
  LinkTypeDefinition,
  ObjectTypeDefinition,
  OntologyDefinition,
  PropertyDefinition,
} from './definition-schema.ts'
import type { Mistake } from './mistakes.ts'
import type { RenamedProperties } from './type-change.ts'

export interface Renames {
  /** The earlier API names of object types, by their names now. */
  readonly types: ReadonlyMap<string, string>
  /** The earlier names of properties, by the name of their object type now. */
  readonly properties: ReadonlyMap<string, RenamedProperties>
  /** The earlier names of link types, by `from` and their names now. */
  readonly links: ReadonlyMap<string, string>
}

/** Returns the renames that are still to be done. Adds a mistake for each that cannot be. */
export function findRenames(
  definition: OntologyDefinition,
  earlier: Ontology | undefined,
  mistakes: Mistake[],
): Renames {
  const types = new Map<string, string>()
  const properties = new Map<string, RenamedProperties>()
  const links = new Map<string, string>()
  const typeNames = new Set(definition.objectTypes.map(({ apiName }) => apiName))
  const storedTypes = earlier?.objectTypes ?? new Map()
  const typeRename = pendingRenames(storedTypes, typeNames, mistakes)
  definition.objectTypes.forEach((type, index) => {
    const path = `objectTypes[${index}]`
    const { apiName } = type
    const from = typeRename(apiName, type, path)
    if (from !== undefined) types.set(apiName, from)
    const before = earlierType(type, earlier, types)
    const names = new Set(Object.keys(type.properties))
    const propertyRename = pendingRenames(before?.properties ?? new Map(), names, mistakes)
    const renamed = Object.entries(type.properties).flatMap(([name, property]) => {
      const old = propertyRename(name, property, `${path}.properties.${name}`)
      return old === undefined ? [] : [[name, old] as const]
    })
    if (renamed.length > 0) properties.set(apiName, new Map(renamed))
  })
  const linkTypes = definition.linkTypes ?? []
  // The links of the earlier definition, as if their types already had their new names.
  const typesNow = new Map([...types].map(([now, before]) => [before, now]))
  const storedLinks = new Set(
    earlier?.linkTypes.map(({ from, apiName }) =>
      linkKey({ from: typesNow.get(from) ?? from, apiName }),
    ),
  )
  const linkRename = pendingRenames(storedLinks, new Set(linkTypes.map(linkKey)), mistakes)
  linkTypes.forEach((link, index) => {
    const { from, renamedFrom } = link
    const key = linkKey(link)
    const old = renamedFrom === undefined ? undefined : linkKey({ from, apiName: renamedFrom })
    const renamed = old === undefined ? {} : { renamedFrom: old }
    if (linkRename(key, renamed, `linkTypes[${index}]`) !== undefined) {
      links.set(key, renamedFrom ?? '')
    }
  })
  return { types, properties, links }
}

/** Identifies a link type within its ontology. Names contain no slash. */
export function linkKey({ from, apiName }: Pick<LinkTypeDefinition, 'from' | 'apiName'>): string {
  return `${from}/${apiName}`
}

/** Returns the earlier object type of one in the definition: by RID, by rename or by name. */
export function earlierType(
  { apiName, rid }: Pick<ObjectTypeDefinition, 'apiName' | 'rid'>,
  earlier: Ontology | undefined,
  renamedTypes: ReadonlyMap<string, string>,
) {
  const byName = earlier?.objectTypes.get(renamedTypes.get(apiName) ?? apiName)
  if (byName !== undefined || rid === undefined) return byName
  return [...(earlier?.objectTypes.values() ?? [])].find((type) => type.rid === rid)
}

/** Returns the definition without the instructions. */
export function withoutRenames(definition: OntologyDefinition): OntologyDefinition {
  const { linkTypes } = definition
  return {
    ...definition,
    objectTypes: definition.objectTypes.map((type) => ({
      ...withoutRename(type),
      properties: mapValues(type.properties, withoutRename),
    })),
    ...(linkTypes === undefined ? {} : { linkTypes: linkTypes.map(withoutRename) }),
  }
}

/** Keeps an object that has no instruction: large definitions have very many properties. */
function withoutRename<Part extends { readonly renamedFrom?: string }>(part: Part): Part {
  if (part.renamedFrom === undefined) return part
  const { renamedFrom: _, ...rest } = part
  return rest as Part
}

function mapValues(
  properties: ObjectTypeDefinition['properties'],
  map: (property: PropertyDefinition) => PropertyDefinition,
): ObjectTypeDefinition['properties'] {
  const hasRename = Object.values(properties).some((property) => map(property) !== property)
  if (!hasRename) return properties
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, map(property)]),
  )
}

interface Names {
  readonly has: (name: string) => boolean
}

/** Returns a function that returns the earlier name of a part that is still to be renamed. */
function pendingRenames(stored: Names, now: Names, mistakes: Mistake[]) {
  const claimed = new Set<string>()
  return (name: string, { renamedFrom }: { readonly renamedFrom?: string }, path: string) => {
    // The rename is done already, or there is nothing to rename.
    if (renamedFrom === undefined || stored.has(name) || !stored.has(renamedFrom)) return undefined
    const refuse = (reason: string) => {
      mistakes.push({ path: `${path}.renamedFrom`, reason })
      return undefined
    }
    const shown = renamedFrom.slice(renamedFrom.lastIndexOf('/') + 1)
    if (now.has(renamedFrom)) {
      return refuse(`the definition still has ${shown}; remove it there, or remove renamedFrom`)
    }
    if (claimed.has(renamedFrom)) return refuse(`${shown} is renamed twice`)
    claimed.add(renamedFrom)
    return renamedFrom
  }
}
