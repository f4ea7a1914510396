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
  | {
      readonly kind: 'isNull'
      readonly property: string
      /** As in `Field`; absent for the whole property. */
      readonly structField?: string
    }
  | {
      readonly kind: 'text'
      /** Undefined searches every text of the object, or those of `fields`. */
      readonly field: Field | undefined
      /** The texts that a search without a field is limited to. */
      readonly fields?: readonly Field[]
      readonly match: TextMatch
      /**
       * The query text at white space, in lower case, never empty. Each store cuts it further by the
       * rules of the table that it reads.
       */
      readonly terms: readonly string[]
      readonly fuzzy: boolean
      /** Whether only the terms themselves match, and no other form that a language gives them. */
      readonly exact?: boolean
    }
  | {
      /** A text has terms near each other. */
      readonly kind: 'interval'
      readonly field: Field
      readonly rule: IntervalRule
    }
  | {
      /** A geopoint or geoshape is in a relation to an area. */
      readonly kind: 'geo'
      readonly field: Field
      readonly relation: GeoRelation
      readonly area: GeoArea
    }
  | {
      /** Dates relative to the start of a walk; stores get them resolved, see relative-dates.ts. */
      readonly kind: 'relativeDates'
      readonly field: Field
      readonly type: 'date' | 'timestamp'
      readonly start: RelativePoint | undefined
      readonly end: RelativePoint | undefined
      readonly timeZone: string
    }
  | {
      /** The whole text of a value matches a pattern. */
      readonly kind: 'pattern'
      readonly field: Field
      readonly pattern: Pattern
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

/** Where in a text terms occur; see matching/interval.ts. */
export type IntervalRule =
  /** All terms of a text, with at most this many others between them; see `text` for `terms`. */
  | {
      readonly kind: 'match'
      readonly terms: readonly string[]
      readonly ordered: boolean
      readonly maxGaps: number | undefined
    }
  /** All terms in order, of which the last may be the beginning of a longer one. */
  | { readonly kind: 'prefix'; readonly terms: readonly string[] }
  /** A term that differs in at most this many edits, by default as many as its length allows. */
  | { readonly kind: 'similar'; readonly term: string; readonly edits: number | undefined }
  | { readonly kind: 'anyOf'; readonly of: readonly IntervalRule[] }
  /** All rules, with at most this many other terms between them. */
  | {
      readonly kind: 'allOf'
      readonly of: readonly IntervalRule[]
      readonly ordered: boolean
      readonly maxGaps: number | undefined
    }

/**
 * `intersects`: a value has a point in common with the area; `disjoint`: there is a value, and none
 * intersects; `within`: a value is inside one convex polygon of the area; `contains`: a value
 * contains all points of the area.
 */
export type GeoRelation = 'intersects' | 'disjoint' | 'within' | 'contains'

export type GeoArea =
  | { readonly kind: 'circle'; readonly center: Position; readonly metres: number }
  /** The points, lines and polygons of a shape. */
  | { readonly kind: 'shape'; readonly members: readonly GeoMember[] }

export interface GeoMember {
  readonly isPolygon: boolean
  /** A point, a line, or the rings of a polygon. */
  readonly paths: readonly (readonly Position[])[]
}

/** The start of a day that is some time after today, or before it if the value is negative. */
export interface RelativePoint {
  readonly value: number
  readonly unit: 'DAY' | 'WEEK' | 'MONTH' | 'YEAR'
}

/**
 * A pattern of characters, which are code points. Wildcards and regular expressions are parsed into
 * this form, and each store writes it in the syntax of its engine.
 */
export type Pattern =
  | { readonly kind: 'literal'; readonly text: string }
  /** One character in any of the ranges, which are in order and do not touch. */
  | { readonly kind: 'characters'; readonly ranges: readonly CharacterRange[] }
  /** An empty sequence matches the empty text. */
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Pattern[] }
  /** Repeats without end if there is no maximum. */
  | {
      readonly kind: 'repeat'
      readonly of: Pattern
      readonly min: number
      readonly max: number | undefined
    }

/** Code points, both included. */
export type CharacterRange = readonly [from: number, to: number]

export type Position = readonly [longitude: number, latitude: number]

/** A property, or one field of a struct. Any value of an array can satisfy a condition. */
export interface Field {
  readonly property: string
  /** The path inside the struct, see struct-path.ts. */
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
  /** As in `Field`, without arrays on the path; absent for the whole property. */
  readonly structField?: string
  readonly direction: Direction
  readonly nulls: 'first' | 'last'
}

export type Direction = 'asc' | 'desc'
