/**
 * Parses the shared property types and interface types of a definition: resolves what each interface
 * inherits, and checks that they are consistent. `parse-implementations.ts` adds the object types.
 */

import { DEFINITION_MAX_FIELDS } from '../../contract/limits.ts'
import type {
  InterfaceLink,
  InterfaceLinkTarget,
  InterfaceProperty,
  InterfaceType,
  ObjectType,
  SharedPropertyType,
} from '../ontology.ts'
import type { InterfaceTypeDefinition, OntologyDefinition } from './definition-schema.ts'
import type { Mistakes } from './mistakes.ts'
import { parsePropertyType } from './parse-property-type.ts'
import { partRid } from './rid.ts'

/** An interface type before its implementations are known. */
export type DeclaredInterface = Omit<InterfaceType, 'implementations'>

export function parseSharedPropertyTypes(
  { rid = '', sharedPropertyTypes = {} }: OntologyDefinition,
  mistakes: Mistakes,
): Map<string, SharedPropertyType> {
  const parsed = new Map<string, SharedPropertyType>()
  for (const [apiName, definition] of Object.entries(sharedPropertyTypes)) {
    const path = () => `sharedPropertyTypes.${apiName}`
    const type = parsePropertyType(definition, path, mistakes)
    if (type === undefined) continue
    parsed.set(apiName, { apiName, rid: partRid('shared-property-type', rid, apiName), type })
  }
  return parsed
}

/** Returns the interface types, each after those that it extends. */
export function parseInterfaceTypes(
  { rid = '', interfaceTypes = [] }: OntologyDefinition,
  sharedPropertyTypes: ReadonlyMap<string, SharedPropertyType>,
  objectTypes: ReadonlyMap<string, ObjectType>,
  mistakes: Mistakes,
): Map<string, DeclaredInterface> {
  const indexes = indexByName(interfaceTypes, objectTypes, mistakes)
  const views = new Map<string, DeclaredInterface>()
  const size = new FieldCount(mistakes)
  for (const index of inOrderOfExtension(interfaceTypes, indexes, mistakes)) {
    const definition = interfaceTypes[index]
    if (definition === undefined || mistakes.count > 0) return views
    const path = `interfaceTypes[${index}]`
    const properties = ownProperties(definition, sharedPropertyTypes, path, mistakes)
    const links = ownLinks(definition, rid, path, mistakes)
    for (const [position, { target }] of [...links.values()].entries()) {
      refuseUnknownTarget(target, objectTypes, indexes, `${path}.links[${position}]`, mistakes)
    }
    const parents = (definition.extendsInterfaces ?? []).flatMap((name) => views.get(name) ?? [])
    const allLinks = inheritLinks(links, parents, path, mistakes)
    const allProperties = inheritProperties(properties, parents)
    size.add(allProperties.size + allLinks.size)
    views.set(definition.apiName, {
      apiName: definition.apiName,
      rid: partRid('interface', rid, definition.apiName),
      extendsInterfaces: definition.extendsInterfaces ?? [],
      allExtendsInterfaces: [
        ...new Set(parents.flatMap((parent) => [parent.apiName, ...parent.allExtendsInterfaces])),
      ].sort(),
      properties,
      allProperties,
      links,
      allLinks,
    })
  }
  return views
}

/** Refuses interfaces with more inherited fields than the service can check without a delay. */
export class FieldCount {
  readonly #mistakes: Mistakes
  #count = 0

  constructor(mistakes: Mistakes) {
    this.#mistakes = mistakes
  }

  add(fields: number): void {
    if (this.#count > DEFINITION_MAX_FIELDS) return
    this.#count += fields
    if (this.#count <= DEFINITION_MAX_FIELDS) return
    const reason = `have more than ${DEFINITION_MAX_FIELDS} properties and links in total, including inherited ones`
    this.#mistakes.add('interfaceTypes', reason)
  }
}

function indexByName(
  definitions: readonly InterfaceTypeDefinition[],
  objectTypes: ReadonlyMap<string, ObjectType>,
  mistakes: Mistakes,
): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>()
  definitions.forEach(({ apiName }, index) => {
    const path = `interfaceTypes[${index}].apiName`
    if (indexes.has(apiName)) mistakes.add(path, `${apiName} is defined twice`)
    if (objectTypes.has(apiName)) {
      const reason = `an object type is named ${apiName}; object types and interface types need different names`
      mistakes.add(path, reason)
    }
    indexes.set(apiName, index)
  })
  return indexes
}

/** Returns the indexes of the definitions, parents first. Refuses unknown parents and cycles. */
function inOrderOfExtension(
  definitions: readonly InterfaceTypeDefinition[],
  indexes: ReadonlyMap<string, number>,
  mistakes: Mistakes,
): number[] {
  const ordered: number[] = []
  const states = new Map<number, 'open' | 'done'>()
  const visit = (index: number): void => {
    states.set(index, 'open')
    const names = definitions[index]?.extendsInterfaces ?? []
    names.forEach((name, position) => {
      const path = `interfaceTypes[${index}].extendsInterfaces[${position}]`
      const parent = indexes.get(name)
      if (parent === undefined) {
        mistakes.add(path, `the ontology has no interface type ${name}`)
      } else if (names.indexOf(name) !== position) {
        mistakes.add(path, `${name} is listed twice`)
      } else if (states.get(parent) === 'open') {
        mistakes.add(path, `${name} extends this interface type`)
      } else if (!states.has(parent)) visit(parent)
    })
    states.set(index, 'done')
    ordered.push(index)
  }
  definitions.forEach((_, index) => {
    if (!states.has(index)) visit(index)
  })
  return ordered
}

function ownProperties(
  { properties = [] }: InterfaceTypeDefinition,
  sharedPropertyTypes: ReadonlyMap<string, SharedPropertyType>,
  path: string,
  mistakes: Mistakes,
): Map<string, InterfaceProperty> {
  const own = new Map<string, InterfaceProperty>()
  properties.forEach((written, index) => {
    const { sharedProperty, required = true } =
      typeof written === 'string' ? { sharedProperty: written } : written
    const shared = sharedPropertyTypes.get(sharedProperty)
    const refuse = (reason: string) => mistakes.add(`${path}.properties[${index}]`, reason)
    if (shared === undefined) refuse(`the ontology has no shared property type ${sharedProperty}`)
    else if (own.has(sharedProperty)) refuse(`${sharedProperty} is listed twice`)
    else own.set(sharedProperty, { ...shared, required })
  })
  return own
}

function ownLinks(
  { apiName: interfaceName, links = [] }: InterfaceTypeDefinition,
  ontologyRid: string,
  path: string,
  mistakes: Mistakes,
): Map<string, InterfaceLink> {
  const own = new Map<string, InterfaceLink>()
  links.forEach(({ apiName, target, cardinality, required = true }, index) => {
    if (own.has(apiName)) {
      mistakes.add(`${path}.links[${index}].apiName`, `${apiName} is defined twice`)
    }
    own.set(apiName, {
      apiName,
      rid: partRid('interface-link-type', ontologyRid, `${interfaceName}/${apiName}`),
      target:
        'objectType' in target
          ? { kind: 'objectType', apiName: target.objectType }
          : { kind: 'interfaceType', apiName: target.interfaceType },
      cardinality,
      required,
    })
  })
  return own
}

function refuseUnknownTarget(
  { kind, apiName }: InterfaceLinkTarget,
  objectTypes: ReadonlyMap<string, ObjectType>,
  interfaceTypes: ReadonlyMap<string, number>,
  path: string,
  mistakes: Mistakes,
): void {
  const known = kind === 'objectType' ? objectTypes : interfaceTypes
  if (known.has(apiName)) return
  const reason = `the ontology has no ${kind === 'objectType' ? 'object type' : 'interface type'} ${apiName}`
  mistakes.add(`${path}.target.${kind}`, reason)
}

/** A property is required if one of the interfaces that has it requires it. */
function inheritProperties(
  own: ReadonlyMap<string, InterfaceProperty>,
  parents: readonly DeclaredInterface[],
): Map<string, InterfaceProperty> {
  const all = new Map(own)
  for (const property of parents.flatMap((parent) => [...parent.allProperties.values()])) {
    const required = property.required || (all.get(property.apiName)?.required ?? false)
    all.set(property.apiName, { ...property, required })
  }
  return all
}

function inheritLinks(
  own: ReadonlyMap<string, InterfaceLink>,
  parents: readonly DeclaredInterface[],
  path: string,
  mistakes: Mistakes,
): Map<string, InterfaceLink> {
  const all = new Map(own)
  for (const link of parents.flatMap((parent) => [...parent.allLinks.values()])) {
    const present = all.get(link.apiName)
    if (present !== undefined && present.rid !== link.rid) {
      const reason = `inherits another link ${link.apiName}; links of related interfaces need different names`
      mistakes.add(path, reason)
    }
    all.set(link.apiName, link)
  }
  return all
}
