import {
  type Catalogue,
  familyNotFound,
  findObjectType,
  ontologyNotFound,
} from '../ontology/catalogue.ts'
import type { ObjectType, Ontology } from '../ontology/ontology.ts'
import type { Caller } from './caller.ts'

/** Names in a path → the things they name. What a caller may not see does not exist for them. */

export interface ResolvedType {
  readonly ontology: Ontology
  readonly objectType: ObjectType
}

/** An ontology by RID or API name. */
export function resolveOntology(
  catalogue: Catalogue,
  caller: Caller,
  identifier: string,
): Ontology {
  return visible(catalogue.find(identifier), caller) ?? fail(ontologyNotFound(identifier))
}

/** The ontology that an API family names. */
export function resolveFamily(catalogue: Catalogue, caller: Caller, family: string): Ontology {
  return visible(catalogue.findByFamily(family), caller) ?? fail(familyNotFound(family))
}

export function resolveObjectType(ontology: Ontology, apiName: string): ResolvedType {
  return { ontology, objectType: findObjectType(ontology, apiName) }
}

function visible(ontology: Ontology | undefined, caller: Caller): Ontology | undefined {
  return ontology !== undefined && caller.maySee(ontology) ? ontology : undefined
}

function fail(error: Error): never {
  throw error
}
