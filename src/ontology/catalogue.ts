/** The catalogue of ontologies, and lookups in it. */

import { ObjectQueryError } from '../contract/errors.ts'
import { isRid } from './definition/rid.ts'
import type { ActionType, InterfaceLink, InterfaceType, ObjectType, Ontology } from './ontology.ts'
import type { ValueType } from './rules.ts'

/** What the catalogue knows about an ontology without its definition. */
export interface OntologyEntry extends Pick<Ontology, 'rid' | 'apiName' | 'families'> {}

/** Names an ontology as paths do: by RID or API name, or by one of its families. */
export interface OntologyName {
  readonly ontology?: string | undefined
  readonly apiFamily?: string | undefined
}

/** The names of every ontology of the service at one moment. */
export class CatalogueIndex<Entry extends OntologyEntry = OntologyEntry> {
  /** Increases with every change of a definition. */
  readonly generation: number
  /** By API name. */
  readonly entries: readonly Entry[]
  /** By RID and by API name, which never begins like a RID. */
  readonly #byIdentifier: ReadonlyMap<string, Entry>
  readonly #byFamily: ReadonlyMap<string, Entry>

  constructor(generation: number, entries: readonly Entry[]) {
    this.generation = generation
    this.entries = entries
    this.#byIdentifier = new Map(
      entries.flatMap((entry) => [entry.rid, entry.apiName].map((name) => [name, entry])),
    )
    this.#byFamily = new Map(
      entries.flatMap((entry) => entry.families.map((family) => [family, entry])),
    )
  }

  /** Finds an ontology by RID or API name. */
  find(identifier: string): Entry | undefined {
    return this.#byIdentifier.get(identifier)
  }

  findByFamily(family: string): Entry | undefined {
    return this.#byFamily.get(family)
  }

  findNamed({ ontology, apiFamily }: OntologyName): Entry | undefined {
    if (ontology !== undefined) return this.find(ontology)
    return apiFamily === undefined ? undefined : this.findByFamily(apiFamily)
  }
}

/**
 * An immutable snapshot of the names of every ontology, with the definitions of those that a request
 * is about: there can be more definitions than fit into memory.
 */
export class Catalogue {
  readonly index: CatalogueIndex
  /** Those that are loaded and visible. */
  readonly ontologies: readonly Ontology[]
  /** By RID. Undefined if the ontology is hidden from the caller. */
  readonly #loaded: ReadonlyMap<string, Ontology | undefined>

  constructor(
    generation: number,
    ontologies: readonly Ontology[],
    index: CatalogueIndex = new CatalogueIndex(generation, ontologies),
    hidden: readonly OntologyEntry[] = [],
  ) {
    this.index = index
    this.ontologies = ontologies
    const loaded = new Map<string, Ontology | undefined>()
    for (const ontology of ontologies) loaded.set(ontology.rid, ontology)
    for (const { rid } of hidden) loaded.set(rid, undefined)
    this.#loaded = loaded
  }

  get generation(): number {
    return this.index.generation
  }

  /** Finds a loaded ontology by RID or API name. */
  find(identifier: string): Ontology | undefined {
    return this.#definitionOf(this.index.find(identifier))
  }

  findByFamily(family: string): Ontology | undefined {
    return this.#definitionOf(this.index.findByFamily(family))
  }

  /** Whether the definition of an ontology was loaded; true for one that does not exist. */
  isLoaded(name: OntologyName): boolean {
    const entry = this.index.findNamed(name)
    return entry === undefined || this.#loaded.has(entry.rid)
  }

  /** Whether another catalogue is of the same moment and has the same definitions. */
  isSame(other: Catalogue): boolean {
    return (
      other.generation === this.generation &&
      other.ontologies.length === this.ontologies.length &&
      other.ontologies.every((one, index) => one === this.ontologies[index])
    )
  }

  #definitionOf(entry: OntologyEntry | undefined): Ontology | undefined {
    if (entry === undefined) return undefined
    if (!this.#loaded.has(entry.rid)) throw new Error(`${entry.rid} was not loaded`)
    return this.#loaded.get(entry.rid)
  }
}

export function ontologyNotFound(identifier: string): ObjectQueryError {
  return new ObjectQueryError(
    'OntologyNotFound',
    isRid(identifier) ? { ontologyRid: identifier } : { apiName: identifier },
  )
}

export function familyNotFound(apiFamily: string): ObjectQueryError {
  return new ObjectQueryError('OntologyNotFound', { apiFamily })
}

/** Returns an object type, or throws `ObjectTypeNotFound`. */
export function findObjectType(ontology: Ontology, apiName: string): ObjectType {
  const objectType = ontology.objectTypes.get(apiName)
  if (objectType === undefined) {
    throw new ObjectQueryError('ObjectTypeNotFound', { objectType: apiName })
  }
  return objectType
}

/** Returns an action type, or throws `ActionTypeNotFound`. */
export function findActionType(ontology: Ontology, apiName: string): ActionType {
  const actionType = ontology.actionTypes.get(apiName)
  if (actionType !== undefined) return actionType
  throw new ObjectQueryError('ActionTypeNotFound', { actionType: apiName })
}

/** Returns an interface type, or throws `InterfaceTypeNotFound`. */
export function findInterfaceType(ontology: Ontology, apiName: string): InterfaceType {
  const interfaceType = ontology.interfaceTypes.get(apiName)
  if (interfaceType === undefined) throw new ObjectQueryError('InterfaceTypeNotFound', { apiName })
  return interfaceType
}

/** Returns a link of an interface type, or throws `InterfaceLinkTypeNotFound`. */
export function findInterfaceLink(
  { apiName, allLinks }: InterfaceType,
  interfaceLinkType: string,
): InterfaceLink {
  const link = allLinks.get(interfaceLinkType)
  if (link !== undefined) return link
  throw new ObjectQueryError('InterfaceLinkTypeNotFound', {
    interfaceType: apiName,
    interfaceLinkType,
  })
}

/** Returns a value type, or throws `ValueTypeNotFound`. */
export function findValueType(ontology: Ontology, apiName: string): ValueType {
  const valueType = ontology.valueTypes.get(apiName)
  if (valueType === undefined) throw new ObjectQueryError('ValueTypeNotFound', { apiName })
  return valueType
}
