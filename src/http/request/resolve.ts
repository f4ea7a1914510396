import {
  type Catalogue,
  familyNotFound,
  findObjectType,
  ontologyNotFound,
} from '../../ontology/catalogue.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import type { Caller } from './caller.ts'

/** Names in a path → the things they name. What a caller may not see does not exist for them. */

/** A request: its caller, and the catalogue as of its arrival. */
export interface Viewer {
  readonly caller: Caller
  readonly catalogue: Catalogue
}

export interface ResolvedType {
  readonly ontology: Ontology
  readonly objectType: ObjectType
}

/** The object type of a path that names its ontology by RID or API name. */
export function resolveTypePath(
  { catalogue, caller }: Viewer,
  path: { readonly ontology: string; readonly objectType: string },
): ResolvedType {
  const ontology = resolveOntology(catalogue, caller, path.ontology)
  return resolveObjectType(ontology, path.objectType)
}

/** The object type of a path that names its ontology by a family. */
export function resolveFamilyPath(
  { catalogue, caller }: Viewer,
  path: { readonly apiFamily: string; readonly objectType: string },
): ResolvedType {
  const ontology = resolveFamily(catalogue, caller, path.apiFamily)
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
