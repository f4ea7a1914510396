/**
 * Resolves `renamedFrom`: an instruction to keep what is stored under another name. It is carried
 * out once and is not part of the stored definition, so the same file can be applied again.
 */

import type { Ontology } from '../ontology.ts'
import type {
  FieldDefinition,
  LinkTypeDefinition,
  ObjectTypeDefinition,
  OntologyDefinition,
} from './definition-schema.ts'
import type { Mistakes } from './mistakes.ts'
import type { PropertyType } from './property-type.ts'
import { joinPath } from './struct-path.ts'
import type { RenamedProperties } from './type-change.ts'

export interface Renames {
  /** The earlier API names of object types, by their names now. */
  readonly types: ReadonlyMap<string, string>
  /** The earlier names of properties and struct fields, by the name of their object type now. */
  readonly properties: ReadonlyMap<string, RenamedProperties>
  /** The earlier names of link types, by `from` and their names now. */
  readonly links: ReadonlyMap<string, string>
}

/** Returns the renames that are still to be done. Adds a mistake for each that cannot be. */
export function findRenames(
  definition: OntologyDefinition,
  earlier: Ontology | undefined,
  mistakes: Mistakes,
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
      const propertyPath = `${path}.properties.${name}`
      const old = propertyRename(name, property, propertyPath)
      const earlierOne = before?.properties.get(old ?? name)?.type
      const fields = findFieldRenames(property, earlierOne, {
        key: name,
        path: propertyPath,
        mistakes,
      })
      return old === undefined ? fields : [[name, old] as const, ...fields]
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

/** Returns the renamed fields of a struct, at any depth: their paths now, and their earlier names. */
function findFieldRenames(
  definition: FieldDefinition,
  earlier: PropertyType | undefined,
  at: { readonly key: string; readonly path: string; readonly mistakes: Mistakes },
): (readonly [key: string, earlierName: string])[] {
  const fields = Object.entries(definition.fields ?? definition.items?.fields ?? {})
  if (fields.length === 0) return []
  const struct = earlier?.kind === 'array' ? earlier.items : earlier
  const stored = struct?.kind === 'struct' ? struct.fields : new Map<string, PropertyType>()
  const fieldRename = pendingRenames(stored, new Set(fields.map(([name]) => name)), at.mistakes)
  return fields.flatMap(([name, field]) => {
    const path = `${at.path}.fields.${name}`
    const key = joinPath(at.key, name)
    const old = fieldRename(name, field, path)
    const inner = findFieldRenames(field, stored.get(old ?? name), { ...at, key, path })
    return old === undefined ? inner : [[key, old] as const, ...inner]
  })
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
export function withoutRenames({
  $schema: _,
  ...definition
}: OntologyDefinition): OntologyDefinition {
  const { linkTypes } = definition
  return {
    ...definition,
    objectTypes: definition.objectTypes.map((type) => ({
      ...withoutRename(type),
      properties: mapValues(type.properties, withoutFieldRenames),
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

/** Does the same in the fields of structs. */
function withoutFieldRenames<Definition extends FieldDefinition>(
  definition: Definition,
): Definition {
  const { fields, items } = definition
  const inner = fields ?? items?.fields
  const cleaned = inner && mapValues(inner, withoutFieldRenames)
  const part = withoutRename(definition)
  if (cleaned === inner || cleaned === undefined) return part
  return fields === undefined
    ? { ...part, items: { ...items, fields: cleaned } }
    : { ...part, fields: cleaned }
}

function mapValues<Definition>(
  definitions: Readonly<Record<string, Definition>>,
  map: (definition: Definition) => Definition,
): Record<string, Definition> {
  const entries = Object.entries(definitions)
  const mapped = entries.map(([name, definition]) => [name, map(definition)] as const)
  const isSame = mapped.every(([, definition], index) => definition === entries[index]?.[1])
  return isSame ? (definitions as Record<string, Definition>) : Object.fromEntries(mapped)
}

interface Names {
  readonly has: (name: string) => boolean
}

/** Returns a function that returns the earlier name of a part that is still to be renamed. */
function pendingRenames(stored: Names, now: Names, mistakes: Mistakes) {
  const claimed = new Set<string>()
  return (name: string, { renamedFrom }: { readonly renamedFrom?: string }, path: string) => {
    // The rename is done already, or there is nothing to rename.
    if (renamedFrom === undefined || stored.has(name) || !stored.has(renamedFrom)) return undefined
    const refuse = (reason: string) => mistakes.add(`${path}.renamedFrom`, reason)
    const shown = renamedFrom.slice(renamedFrom.lastIndexOf('/') + 1)
    if (now.has(renamedFrom)) {
      return refuse(`the definition still has ${shown}; remove it there, or remove renamedFrom`)
    }
    if (claimed.has(renamedFrom)) return refuse(`${shown} is renamed twice`)
    claimed.add(renamedFrom)
    return renamedFrom
  }
}
