/**
 * Types whose objects were rewritten for a changed definition. The new objects are in a new table;
 * earlier versions stay in the earlier one, in the form of the earlier definition.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { typeOutOfSync } from '../batch.ts'

/** The last change of a definition that rewrote objects; zeros if there was none. */
export interface Redefinition {
  /** The first table with the new form. */
  readonly table: number
  /** The generation of the catalogue with the new definition. */
  readonly generation: number
}

/** True if a request was parsed with an older definition than that of the newest objects. */
export function isOutdated(redefined: Redefinition, { definedIn }: ObjectType): boolean {
  return definedIn !== undefined && definedIn < redefined.generation
}

/**
 * Throws if the names and values of a request may not be those of a table. A walk over all objects
 * in key order depends on neither, so it can continue in a table of the earlier definition.
 */
export function refuseOtherDefinition(
  redefined: Redefinition,
  table: number,
  objectType: ObjectType,
  toleratesOldDefinition: boolean,
): void {
  if (table >= redefined.table) {
    if (isOutdated(redefined, objectType)) throw typeOutOfSync(objectType.rid)
  } else if (!toleratesOldDefinition) throw redefinedSince(objectType)
}

/** The error for a walk that began before the change, and that depends on property values. */
export function redefinedSince({ apiName }: Pick<ObjectType, 'apiName'>): ObjectQueryError {
  return new ObjectQueryError('InvalidPageToken', { reason: 'redefined', objectType: apiName })
}
