/**
 * The query tree: one closed union into which every request shape is parsed. Stores compile it, and
 * page tokens are bound to it. It is plain data with a fixed order of members, so equal queries
 * have equal JSON; `plainQuery` replaces the object types that `linked` contains.
 */
import type { ObjectType } from '../ontology/ontology.ts'

/** Logic is two-valued: a condition on an absent property is false, and its negation is true. */
export type Query =
  /** Every object of the type. */
  | { readonly kind: 'everything' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | {
      readonly kind: 'compare'
      readonly field: Field
      readonly operator: Comparison
      readonly value: ComparedValue
    }
  /** Objects whose field has one of the values. */
  | {
      readonly kind: 'oneOf'
      readonly field: Field
      readonly values: readonly ComparedValue[]
    }
  | { readonly kind: 'isNull'; readonly property: string }
  | {
      readonly kind: 'text'
      /** Undefined searches every text of the object. */
      readonly field: Field | undefined
      readonly match: TextMatch
      /** In the order of the query text, never empty. */
      readonly terms: readonly string[]
      readonly fuzzy: boolean
    }
  | {
      readonly kind: 'withinPolygon'
      /** Closed: the last position equals the first. */
      readonly ring: readonly Position[]
    }
  /** Objects with one of these ids, the UUIDs of their RIDs. */
  | { readonly kind: 'objectIds'; readonly ids: readonly string[] }
  | LinkedQuery

/** Objects that are linked to an object of another type, or of the same type, that matches a query. */
export interface LinkedQuery {
  readonly kind: 'linked'
  /** Linked objects have equal values in `property` and `linkedProperty`. */
  readonly property: string
  readonly linkedType: ObjectType
  readonly linkedProperty: string
  /** Selects among the objects of `linkedType`. */
  readonly of: Query
}

export type Comparison = 'eq' | 'lt' | 'lte' | 'gt' | 'gte'

/** How the terms of the query must occur in a text. */
export type TextMatch = 'phrase' | 'prefix' | 'anyTerm' | 'allTerms'

export type Position = readonly [longitude: number, latitude: number]

/** A property, or one field of a struct. Any value of an array can satisfy a condition. */
export interface Field {
  readonly property: string
  readonly structField: string | undefined
}

/** A column value in a form that JSON can carry: JSON has neither bigints nor infinities. */
export type ComparedValue =
  | string
  | number
  | { readonly long: string }
  | { readonly double: 'Infinity' | '-Infinity' }

export const EVERYTHING: Query = { kind: 'everything' }

/** One term of an order. The primary key, in the direction of the last term, breaks ties. */
export interface OrderTerm {
  readonly property: string
  readonly direction: Direction
  readonly nulls: 'first' | 'last'
}

export type Direction = 'asc' | 'desc'
