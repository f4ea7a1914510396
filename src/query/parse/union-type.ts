/**
 * The types of a union that is discriminated by `type`, such as the queries of a revision. Each has
 * a schema, from which its parser takes the allowed members, and `openapi.json` its description.
 */
import { type TSchema, Type } from 'typebox'
import { optional } from '../../contract/schema-parts.ts'

export interface UnionType {
  /** Types of one component have the same members, and are described together. */
  readonly component: string
  readonly schema: Readonly<Record<string, TSchema>>
  /** The allowed members, apart from `type`. */
  readonly members: readonly string[]
}

export function unionType(
  component: string,
  schema: Readonly<Record<string, TSchema>> = {},
): UnionType {
  return { component, schema, members: Object.keys(schema) }
}

/** Returns the types of a union by their names. */
export function unionTypes<Member extends UnionType>(
  types: Readonly<Record<string, Member>>,
): ReadonlyMap<string, Member> {
  return new Map(Object.entries(types))
}

/** Returns a reference to a component of `openapi.json`. */
export function refTo(component: string): TSchema & { readonly $ref: string } {
  return { $ref: `#/components/schemas/${component}` }
}

export const Value = Type.Unsafe<string | number | boolean>({
  type: ['string', 'number', 'boolean'],
  description: 'A value of the property, in the JSON encoding of its type.',
})

export const Text = Type.String({
  description: 'The text to search for; it is split into terms.',
})

export const Fuzzy = optional(
  Type.Boolean({ description: 'If true, similar terms match as well.' }),
)

export const IsAbsent = Type.Boolean({
  description: 'True for objects without a value, false for the others.',
})

export const Name = Type.String({ minLength: 1 })
