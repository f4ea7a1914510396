/** Resource identifiers (RIDs): `ri.SERVICE.INSTANCE.TYPE.LOCATOR`. */

import { hash } from 'node:crypto'
import { OBJECT_RID_PREFIX } from '../../contract/object-record.ts'

export function isRid(text: string): boolean {
  return text.startsWith('ri.')
}

export function ontologyRid(uuid: string): string {
  return `ri.ontology.main.ontology.${uuid}`
}

export function objectTypeRid(uuid: string): string {
  return `ri.ontology.main.object-type.${uuid}`
}

/** The pattern of the RID of an object; its group is the UUID. */
export const OBJECT_RID_PATTERN = `^${OBJECT_RID_PREFIX.replaceAll('.', '\\.')}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`

const OBJECT_RID = new RegExp(OBJECT_RID_PATTERN)

/** Returns the UUID in the RID of an object; undefined if the text is not such a RID. */
export function objectIdOfRid(rid: string): string | undefined {
  return OBJECT_RID.exec(rid)?.[1]
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

/** Derives the RID of a part of an ontology that has only a name, such as an interface type. */
export function partRid(kind: PartKind, ontologyRid: string, name: string): string {
  return `ri.ontology.main.${kind}.${derivedUuid(`${ontologyRid}/${kind}/${name}`)}`
}

type PartKind = 'interface' | 'interface-link-type' | 'shared-property-type' | 'value-type'

function derivedUuid(text: string): string {
  const hex = hash('sha256', text, 'hex')
  // Version 8, variant 10: a UUID with application-defined content (RFC 9562).
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0b11) | 0b1000).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
