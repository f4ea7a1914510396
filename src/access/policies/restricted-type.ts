/**
 * Object types as seen by a caller that may see only some objects or properties, or may not write.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'

/** What a caller may see of an object type. */
export interface Restriction {
  /** The type itself. Stores know no other. */
  readonly of: ObjectType
  /** Selects the visible objects. It can name hidden properties. */
  readonly rows: Query
  /** The visible properties, in the order of the type; undefined for all. */
  readonly shown: readonly string[] | undefined
}

/** An object type without what its restriction hides. */
interface RestrictedType extends ObjectType {
  readonly restriction: Restriction
}

export function restrictType(visible: ObjectType, restriction: Restriction): ObjectType {
  const restricted: RestrictedType = {
    ...visible,
    definedIn: restriction.of.definedIn,
    isReadOnly: true,
    restriction,
  }
  return restricted
}

/** Returns the restriction of a type; undefined if the caller may see and write all its objects. */
export function restrictionOf(objectType: ObjectType): Restriction | undefined {
  return (objectType as Partial<RestrictedType>).restriction
}

/**
 * True if the caller sees only some objects or properties of a type. Its version would then reveal
 * too much, because it also changes with hidden objects.
 */
export function isPartlyHidden(objectType: ObjectType): boolean {
  const restriction = restrictionOf(objectType)
  if (restriction === undefined) return false
  return restriction.rows !== EVERYTHING || restriction.shown !== undefined
}

/** True if the caller sees only some properties of the objects. */
export function hidesProperties(objectType: ObjectType): boolean {
  return restrictionOf(objectType)?.shown !== undefined
}

/** Throws `ApiUsageDenied` if the caller may only read the objects of a type. */
export function requireWritable({ apiName, isReadOnly = false }: ObjectType): void {
  if (!isReadOnly) return
  const reason = 'the policies of the token allow reading only'
  throw new ObjectQueryError('ApiUsageDenied', { objectType: apiName, reason })
}
