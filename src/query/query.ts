/**
 * The query tree: one closed union that every request shape parses into. Stores compile it, tokens
 * are bound to it. It is plain data whose members are always written in the same order, so that
 * equal queries have equal JSON.
 *
 * Logic is two-valued: a condition on a property without a value is false, and its negation true.
 */
export type Query =
  /** No conditions: every object of the type. */
  | { readonly kind: 'everything' }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | {
      readonly kind: 'compare'
      readonly field: Field
      readonly operator: Comparison
      readonly value: ComparedValue
    }
  | { readonly kind: 'isNull'; readonly property: string }
  | {
      readonly kind: 'text'
      /** Undefined: anywhere in the object. */
      readonly field: Field | undefined
      readonly match: TextMatch
      /** In the order of the question, never empty. */
      readonly terms: readonly string[]
      readonly fuzzy: boolean
    }
  | {
      readonly kind: 'withinPolygon'
      /** Closed: the last position is the first. */
      readonly ring: readonly Position[]
    }

export type Comparison = 'eq' | 'lt' | 'lte' | 'gt' | 'gte'

/** How the terms of a text must occur. */
export type TextMatch = 'phrase' | 'prefix' | 'anyTerm' | 'allTerms'

export type Position = readonly [longitude: number, latitude: number]

/** A property, or one field of a struct. Any value of an array may fulfil a condition. */
export interface Field {
  readonly property: string
  readonly structField: string | undefined
}

/** A column value as JSON can hold it, which knows neither bigints nor infinities. */
export type ComparedValue =
  | string
  | number
  | { readonly long: string }
  | { readonly double: 'Infinity' | '-Infinity' }

export const EVERYTHING: Query = { kind: 'everything' }

/** One term of an order; the primary key, in the direction of the last term, makes it total. */
export interface OrderTerm {
  readonly property: string
  readonly direction: Direction
  readonly nulls: 'first' | 'last'
}

export type Direction = 'asc' | 'desc'
