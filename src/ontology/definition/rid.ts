/** Resource identifiers (RIDs): `ri.SERVICE.INSTANCE.TYPE.LOCATOR`. */

import { hash } from 'node:crypto'

export const ONTOLOGY_RID_PATTERN = '^ri\\.ontology\\.main\\.ontology\\.[A-Za-z0-9_-]{1,64}$'
export const OBJECT_TYPE_RID_PATTERN = '^ri\\.ontology\\.main\\.object-type\\.[A-Za-z0-9_-]{1,64}$'

export function isRid(text: string): boolean {
  return text.startsWith('ri.')
}

export function ontologyRid(uuid: string): string {
  return `ri.ontology.main.ontology.${uuid}`
}

export function objectTypeRid(uuid: string): string {
  return `ri.ontology.main.object-type.${uuid}`
}

/**
 * Derives the UUID of an object from its type and key. An object keeps its RID through updates,
 * deletion and recreation, on every store, and no write has to look it up.
 */
export function objectId(typeRid: string, pk: string): string {
  return derivedUuid(`${typeRid}/${pk}`)
}

/**
 * Derives the RID of a property, or of a field of a struct. Names cannot contain a slash, so no two
 * of them share a RID.
 */
export function propertyRid(typeRid: string, ...names: readonly string[]): string {
  return `ri.ontology.main.property.${derivedUuid(['property', typeRid, ...names].join('/'))}`
}

/** Derives the RID of a link type, which both its sides share, from the type with the foreign key. */
export function linkTypeRid(fromTypeRid: string, apiName: string): string {
  return `ri.ontology.main.relation.${derivedUuid(['link', fromTypeRid, apiName].join('/'))}`
}

function derivedUuid(text: string): string {
  const hex = hash('sha256', text, 'hex')
  // Version 8, variant 10: a UUID with application-defined content (RFC 9562).
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0b11) | 0b1000).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
