/**
 * Parses how object types implement interfaces. A property or link of the interface is implemented
 * by the one that the definition names, or else by the one with the same name.
 */

import type {
  InterfaceImplementation,
  InterfaceLink,
  InterfaceType,
  LinkType,
  ObjectType,
} from '../ontology.ts'
import type { ObjectTypeDefinition } from './definition-schema.ts'
import type { Mistakes } from './mistakes.ts'
import { type DeclaredInterface, FieldCount } from './parse-interfaces.ts'
import { isSameType, typeName } from './property-type.ts'

/** The parts of an ontology that implementations refer to. */
export interface ParsedParts {
  readonly objectTypes: ReadonlyMap<string, ObjectType>
  readonly linkTypes: readonly LinkType[]
  readonly views: ReadonlyMap<string, DeclaredInterface>
}

/** Adds the implementations of every object type to the interface types. */
export function parseImplementations(
  definitions: readonly ObjectTypeDefinition[],
  parts: ParsedParts,
  mistakes: Mistakes,
): Map<string, InterfaceType> {
  const { objectTypes, views } = parts
  const implementations = new Map<string, Map<string, InterfaceImplementation>>(
    [...views.keys()].map((name) => [name, new Map()]),
  )
  const size = new FieldCount(mistakes)
  const implementing = definitions
    .flatMap(({ apiName, implements: names }, index) =>
      names === undefined ? [] : [{ apiName, names, path: `objectTypes[${index}].implements` }],
    )
    .sort((a, b) => (a.apiName < b.apiName ? -1 : 1))
  for (const { apiName, names, path } of implementing) {
    const objectType = objectTypes.get(apiName)
    if (objectType === undefined) continue
    const type = new ImplementingType(objectType, names, parts, path, mistakes)
    for (const view of type.implemented()) {
      size.add(view.allProperties.size + view.allLinks.size)
      if (mistakes.count > 0) break
      implementations.get(view.apiName)?.set(objectType.apiName, type.implementation(view))
    }
  }
  const interfaceTypes = new Map<string, InterfaceType>()
  for (const [name, view] of views) {
    interfaceTypes.set(name, { ...view, implementations: implementations.get(name) ?? new Map() })
  }
  if (mistakes.count === 0 && implementing.length > 0) {
    refuseWrongLinks(interfaceTypes, definitions, parts, mistakes)
  }
  return interfaceTypes
}

/** One object type, with the names that its definition gives. */
class ImplementingType {
  readonly #objectType: ObjectType
  readonly #parts: ParsedParts
  readonly #path: string
  readonly #mistakes: Mistakes
  readonly #interfaces: readonly DeclaredInterface[]
  /** By shared property, which has one implementation in all interfaces of the type. */
  readonly #properties = new Map<string, string>()
  /** By RID of the interface's link. */
  readonly #links = new Map<string, string>()

  constructor(
    objectType: ObjectType,
    implemented: NonNullable<ObjectTypeDefinition['implements']>,
    parts: ParsedParts,
    path: string,
    mistakes: Mistakes,
  ) {
    this.#objectType = objectType
    this.#parts = parts
    this.#path = path
    this.#mistakes = mistakes
    this.#interfaces = Object.entries(implemented).flatMap(([name, names]) => {
      const view = parts.views.get(name)
      if (view === undefined) {
        this.#refuse(name, `the ontology has no interface type ${name}`)
        return []
      }
      for (const [property, own] of Object.entries(names.properties ?? {})) {
        this.#addProperty(view, property, own)
      }
      for (const [link, own] of Object.entries(names.links ?? {})) this.#addLink(view, link, own)
      return [view]
    })
  }

  /** Returns the interfaces that the type implements, including those that they extend. */
  implemented(): DeclaredInterface[] {
    const names = this.#interfaces.flatMap((view) => [view.apiName, ...view.allExtendsInterfaces])
    return [...new Set(names)].sort().flatMap((name) => this.#parts.views.get(name) ?? [])
  }

  implementation(view: DeclaredInterface): InterfaceImplementation {
    const properties = new Map<string, string>()
    const implementing = new Set<string>()
    for (const { apiName, type, required } of view.allProperties.values()) {
      const named = this.#properties.get(apiName)
      const own = this.#objectType.properties.get(named ?? apiName)
      const isSame = own !== undefined && isSameType(own.type, type)
      if (isSame) {
        if (implementing.has(own.apiName)) {
          const reason = `${own.apiName} already implements another property of the interface`
          this.#refuse(`${view.apiName}.properties.${apiName}`, reason)
        }
        implementing.add(own.apiName)
        properties.set(apiName, own.apiName)
      } else if (own !== undefined && (named !== undefined || required)) {
        const reason = `${own.apiName} has type ${typeName(own.type)}, but ${apiName} has type ${typeName(type)}`
        this.#refuse(`${view.apiName}.properties.${apiName}`, reason)
      } else if (required) {
        const reason = `the interface requires ${apiName}; name the property of ${this.#objectType.apiName} that implements it`
        this.#refuse(`${view.apiName}.properties`, reason)
      }
    }
    const links = new Map<string, string>()
    for (const { apiName, rid, required } of view.allLinks.values()) {
      const own = this.#links.get(rid) ?? apiName
      if (findLinkEnd(this.#parts.linkTypes, this.#objectType, own) !== undefined) {
        links.set(apiName, own)
      } else if (required) {
        const reason = `the interface requires the link ${apiName}; name the link of ${this.#objectType.apiName} that implements it`
        this.#refuse(`${view.apiName}.links`, reason)
      }
    }
    return { interfaceType: view.apiName, objectType: this.#objectType, properties, links }
  }

  #addProperty(view: DeclaredInterface, shared: string, own: string): void {
    const path = `${view.apiName}.properties.${shared}`
    const known = this.#properties.get(shared)
    if (!view.allProperties.has(shared)) {
      this.#refuse(path, `the interface has no property ${shared}`)
    } else if (!this.#objectType.properties.has(own)) {
      this.#refuse(path, `${this.#objectType.apiName} has no property ${own}`)
    } else if (known !== undefined && known !== own) {
      this.#refuse(path, `another interface already names ${known} for ${shared}`)
    }
    this.#properties.set(shared, own)
  }

  #addLink(view: DeclaredInterface, apiName: string, own: string): void {
    const path = `${view.apiName}.links.${apiName}`
    const link = view.allLinks.get(apiName)
    const known = link && this.#links.get(link.rid)
    if (link === undefined) this.#refuse(path, `the interface has no link ${apiName}`)
    else if (findLinkEnd(this.#parts.linkTypes, this.#objectType, own) === undefined) {
      this.#refuse(path, `${this.#objectType.apiName} has no link ${own}`)
    } else if (known !== undefined && known !== own) {
      this.#refuse(path, `another interface already names ${known} for ${apiName}`)
    } else this.#links.set(link.rid, own)
  }

  #refuse(step: string, reason: string): void {
    this.#mistakes.add(`${this.#path}.${step}`, reason)
  }
}

/** What a link of an object type leads to. */
interface LinkEnd {
  readonly objectType: string
  readonly cardinality: 'ONE' | 'MANY'
}

function findLinkEnd(
  linkTypes: readonly LinkType[],
  { apiName: typeName }: ObjectType,
  apiName: string,
): LinkEnd | undefined {
  for (const { from, to, apiName: forward, reverseApiName } of linkTypes) {
    if (from === typeName && forward === apiName) return { objectType: to, cardinality: 'ONE' }
    if (to === typeName && reverseApiName === apiName) {
      return { objectType: from, cardinality: 'MANY' }
    }
  }
  return undefined
}

/** Checks the targets of links, once it is known which object types implement which interfaces. */
function refuseWrongLinks(
  interfaceTypes: ReadonlyMap<string, InterfaceType>,
  definitions: readonly ObjectTypeDefinition[],
  { linkTypes }: ParsedParts,
  mistakes: Mistakes,
): void {
  const indexes = new Map(definitions.map(({ apiName }, index) => [apiName, index]))
  for (const { apiName, allLinks, implementations } of interfaceTypes.values()) {
    for (const { objectType, links } of implementations.values()) {
      for (const [name, own] of links) {
        const link = allLinks.get(name)
        const end = findLinkEnd(linkTypes, objectType, own)
        const reason = link && end && reasonAgainst(link, end, own, interfaceTypes)
        if (reason === undefined) continue
        const path = `objectTypes[${indexes.get(objectType.apiName)}].implements.${apiName}.links.${name}`
        mistakes.add(path, reason)
      }
    }
  }
}

function reasonAgainst(
  { target, cardinality }: InterfaceLink,
  end: LinkEnd,
  own: string,
  interfaceTypes: ReadonlyMap<string, InterfaceType>,
): string | undefined {
  const isTarget =
    target.kind === 'objectType'
      ? end.objectType === target.apiName
      : interfaceTypes.get(target.apiName)?.implementations.has(end.objectType)
  if (!isTarget) {
    const wanted =
      target.kind === 'objectType' ? target.apiName : `a type that implements ${target.apiName}`
    return `the link ${own} leads to ${end.objectType}, not to ${wanted}`
  }
  if (cardinality === 'ONE' && end.cardinality === 'MANY') {
    return `the link ${own} leads to many objects, but the interface allows one`
  }
  return undefined
}
