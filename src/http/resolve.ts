import {
  type Catalogue,
  familyNotFound,
  findObjectType,
  ontologyNotFound,
} from '../ontology/catalogue.ts'
import type { ObjectType, Ontology } from '../ontology/ontology.ts'
import type { Caller } from './caller.ts'
import type { Services } from './services.ts'

/** Names in a path → the things they name. What a caller may not see does not exist for them. */

export interface ResolvedType {
  readonly ontology: Ontology
  readonly objectType: ObjectType
}

/** The object type of a path that names its ontology by RID or API name. */
export async function resolveTypePath(
  { store }: Services,
  caller: Caller,
  path: { readonly ontology: string; readonly objectType: string },
): Promise<ResolvedType> {
  const ontology = resolveOntology(await store.readCatalogue(), caller, path.ontology)
  return resolveObjectType(ontology, path.objectType)
}

/** The object type of a path that names its ontology by a family. */
export async function resolveFamilyPath(
  { store }: Services,
  caller: Caller,
  path: { readonly apiFamily: string; readonly objectType: string },
): Promise<ResolvedType> {
  const ontology = resolveFamily(await store.readCatalogue(), caller, path.apiFamily)
  return resolveObjectType(ontology, path.objectType)
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
