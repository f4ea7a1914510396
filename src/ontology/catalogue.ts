/** The catalogue of ontologies, and lookups in it. */

import { ObjectQueryError } from '../contract/errors.ts'
import { isRid } from './definition/rid.ts'
import type { InterfaceLink, InterfaceType, ObjectType, Ontology } from './ontology.ts'

/** An immutable snapshot of every ontology of the service. */
export class Catalogue {
  /** Increases with every change of a definition. */
  readonly generation: number
  readonly ontologies: readonly Ontology[]
  readonly #byRid: ReadonlyMap<string, Ontology>
  readonly #byApiName: ReadonlyMap<string, Ontology>
  readonly #byFamily: ReadonlyMap<string, Ontology>

  constructor(generation: number, ontologies: readonly Ontology[]) {
    this.generation = generation
    this.ontologies = ontologies
    this.#byRid = new Map(ontologies.map((ontology) => [ontology.rid, ontology]))
    this.#byApiName = new Map(ontologies.map((ontology) => [ontology.apiName, ontology]))
    this.#byFamily = new Map(
      ontologies.flatMap((ontology) => ontology.families.map((family) => [family, ontology])),
    )
  }

  /** Finds an ontology by RID or API name. */
  find(identifier: string): Ontology | undefined {
    return isRid(identifier) ? this.#byRid.get(identifier) : this.#byApiName.get(identifier)
  }

  findByFamily(family: string): Ontology | undefined {
    return this.#byFamily.get(family)
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
