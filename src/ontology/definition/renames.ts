/**
 * Resolves `renamedFrom`: an instruction to keep what is stored under another name. It is carried out
 * once, so the same file can be applied again. The stored definition keeps it as a record, by which
 * saved views find what they name.
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

/**
 * Returns the definition with its renames and those of the earlier definition, as a record of earlier
 * names. A name that is in use again is no longer one.
 */
export function recordRenames(
  { $schema: _, ...definition }: OntologyDefinition,
  earlier: Ontology | undefined,
  { types }: Renames,
): OntologyDefinition {
  const { objectTypes, linkTypes } = definition
  const typeNames = new Set(objectTypes.map(({ apiName }) => apiName))
  const typesBefore = new Map(earlier?.definition.objectTypes.map((type) => [type.rid, type]))
  const linkNames = new Set(linkTypes?.map(linkKey))
  const linksBefore = new Map(
    earlier?.definition.linkTypes?.map((link) => [linkKey(link), link.renamedFrom]),
  )
  return {
    ...definition,
    objectTypes: objectTypes.map((type) => {
      const before = typesBefore.get(earlierType(type, earlier, types)?.rid)
      const name = before?.apiName === type.apiName ? before.renamedFrom : before?.apiName
      const properties = recordFieldRenames(type.properties, before?.properties)
      return recordRename({ ...type, properties }, name, (each) => typeNames.has(each))
    }),
    ...(linkTypes && {
      linkTypes: linkTypes.map((link) => {
        const from = types.get(link.from) ?? link.from
        const name = linksBefore.get(linkKey({ ...link, from }))
        return recordRename(link, name, (each) =>
          linkNames.has(linkKey({ ...link, apiName: each })),
        )
      }),
    }),
  }
}

/** Keeps an object that does not change: large definitions have very many properties. */
function recordRename<Part extends { readonly renamedFrom?: string }>(
  part: Part,
  earlierName: string | undefined,
  isInUse: (name: string) => boolean,
): Part {
  const { renamedFrom, ...rest } = part
  const name = renamedFrom ?? earlierName
  const recorded = name === undefined || isInUse(name) ? undefined : name
  if (recorded === renamedFrom) return part
  return (recorded === undefined ? rest : { ...rest, renamedFrom: recorded }) as Part
}

/** Does the same for properties, and in the fields of structs. */
function recordFieldRenames<Definition extends FieldDefinition>(
  definitions: Readonly<Record<string, Definition>>,
  earlier: Readonly<Record<string, FieldDefinition>> = {},
): Record<string, Definition> {
  const find = (name = '') => (Object.hasOwn(earlier, name) ? earlier[name] : undefined)
  return mapValues(definitions, (definition, name) => {
    const before = find(name) ?? find(definition.renamedFrom)
    const { fields, items } = definition
    const inner = fields ?? items?.fields
    const recorded = inner && recordFieldRenames(inner, before?.fields ?? before?.items?.fields)
    const isSame = recorded === undefined || recorded === inner
    const changed =
      fields === undefined ? { items: { ...items, fields: recorded } } : { fields: recorded }
    return recordRename(
      isSame ? definition : { ...definition, ...changed },
      find(name)?.renamedFrom,
      (each) => Object.hasOwn(definitions, each),
    )
  })
}

function mapValues<Definition>(
  definitions: Readonly<Record<string, Definition>>,
  map: (definition: Definition, name: string) => Definition,
): Record<string, Definition> {
  const entries = Object.entries(definitions)
  const mapped = entries.map(([name, definition]) => [name, map(definition, name)] as const)
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
