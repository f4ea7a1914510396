/** Resolves the names in a path. Ontologies that are hidden from the caller are not found. */
import {
  type Catalogue,
  familyNotFound,
  findInterfaceType,
  findObjectType,
  type OntologyEntry,
  ontologyNotFound,
} from '../ontology/catalogue.ts'
import type { InterfaceType, ObjectType, Ontology } from '../ontology/ontology.ts'
import type { Caller } from './caller-rights.ts'
import { requireWritable } from './ruled-objects.ts'

/** The caller of a request, and the catalogue as of its arrival. */
export interface Viewer {
  readonly caller: Caller
  readonly catalogue: Catalogue
}

export interface ResolvedType {
  readonly ontology: Ontology
  readonly objectType: ObjectType
}

export interface ResolvedInterface {
  readonly ontology: Ontology
  readonly interfaceType: InterfaceType
}

/** Resolves a path that names the ontology by RID or API name. */
export function resolveTypePath(
  { catalogue, caller }: Viewer,
  path: { readonly ontology: string; readonly objectType: string },
): ResolvedType {
  const ontology = resolveOntology(catalogue, caller, path.ontology)
  return resolveObjectType(ontology, path.objectType)
}

/** Resolves a path whose objects the caller wants to write. */
export function resolveWrittenPath(
  viewer: Viewer,
  path: { readonly ontology: string; readonly objectType: string },
): ResolvedType {
  const resolved = resolveTypePath(viewer, path)
  requireWritable(resolved.objectType)
  return resolved
}

/** Resolves a path that names an interface type. */
export function resolveInterfacePath(
  { catalogue, caller }: Viewer,
  path: { readonly ontology: string; readonly interfaceType: string },
): ResolvedInterface {
  const ontology = resolveOntology(catalogue, caller, path.ontology)
  return { ontology, interfaceType: findInterfaceType(ontology, path.interfaceType) }
}

/** Resolves a path that names the ontology by an API family. */
export function resolveFamilyPath(
  { catalogue, caller }: Viewer,
  path: { readonly apiFamily: string; readonly objectType: string },
): ResolvedType {
  const ontology = resolveFamily(catalogue, caller, path.apiFamily)
  return resolveObjectType(ontology, path.objectType)
}

/** Returns the ontology with a RID or API name. */
export function resolveOntology(
  catalogue: Catalogue,
  caller: Caller,
  identifier: string,
): Ontology {
  const isVisible = maySee(catalogue.index.find(identifier), caller)
  return (isVisible && catalogue.find(identifier)) || fail(ontologyNotFound(identifier))
}

/** Returns the ontology of an API family. */
export function resolveFamily(catalogue: Catalogue, caller: Caller, family: string): Ontology {
  const isVisible = maySee(catalogue.index.findByFamily(family), caller)
  return (isVisible && catalogue.findByFamily(family)) || fail(familyNotFound(family))
}

export function resolveObjectType(ontology: Ontology, apiName: string): ResolvedType {
  return { ontology, objectType: findObjectType(ontology, apiName) }
}

function maySee(entry: OntologyEntry | undefined, caller: Caller): boolean {
  return entry !== undefined && caller.maySee(entry)
}

function fail(error: Error): never {
  throw error
}
