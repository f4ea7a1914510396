/** The property types of an ontology as TypeScript types. `oqs ontology types` generates them. */

/** A number that JSON cannot hold is a string. */
export type Double = number | 'NaN' | 'Infinity' | '-Infinity'

/** A GeoJSON point: longitude, then latitude. */
export interface GeoPoint {
  readonly type: 'Point'
  readonly coordinates: readonly number[]
}

/** A GeoJSON geometry. */
export type GeoShape =
  | {
      readonly type:
        | 'Point'
        | 'MultiPoint'
        | 'LineString'
        | 'MultiLineString'
        | 'Polygon'
        | 'MultiPolygon'
      readonly coordinates: readonly unknown[]
    }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly GeoShape[] }

export interface Attachment {
  readonly rid: string
}

/** The JSON value of each scalar type. */
export interface ScalarValues {
  readonly string: string
  readonly boolean: boolean
  readonly byte: number
  readonly short: number
  readonly integer: number
  readonly long: string
  readonly float: Double
  readonly double: Double
  readonly decimal: string
  readonly date: string
  readonly timestamp: string
  readonly geopoint: GeoPoint
  readonly geoshape: GeoShape
  readonly attachment: Attachment
  readonly marking: string
}

export type ScalarType = keyof ScalarValues

/** What can be compared with a property: also numbers and dates that have an exact text. */
export type ComparedValue<Type> = Type extends 'long'
  ? string | number | bigint
  : Type extends 'decimal'
    ? string | number
    : Type extends 'timestamp'
      ? string | Date
      : Type extends ScalarType
        ? ScalarValues[Type]
        : string | number | boolean | bigint | Date

export type NumberType = 'byte' | 'short' | 'integer' | 'long' | 'float' | 'double' | 'decimal'
export type TimeType = 'date' | 'timestamp'
export type OrderedType = NumberType | TimeType | 'string'
export type EquatableType = OrderedType | 'boolean' | 'marking'

/** One object type of an ontology. */
export interface ObjectTypeShape {
  /** The properties of an object, as the service returns them. */
  readonly object: object
  readonly primaryKey: string
  /**
   * The type of each property: a scalar type, `[T]` for an array, or an object with the types of
   * the fields of a struct.
   */
  readonly types: object
  /** The object type that each link leads to. */
  readonly links: object
}

/** An interface with a member for each object type. */
export type OntologyShape<Ontology> = { readonly [Name in keyof Ontology]: ObjectTypeShape }

/** An object type that nothing is known about. */
export interface UntypedObject {
  // biome-ignore lint/suspicious/noExplicitAny: values of unknown properties are used unchecked
  readonly object: Record<string, any>
  readonly primaryKey: string
  readonly types: Record<string, 'any'>
  readonly links: Record<string, string>
}

/** The ontology of a client that was created without one. */
export type UntypedOntology = Record<string, UntypedObject>

export type Names<Ontology> = keyof Ontology & string
export type PropertyName<Type extends ObjectTypeShape> = keyof Type['types'] & string

/** The properties of an object of a type. */
export type ObjectOf<Type extends ObjectTypeShape> = Type['object']

/** The value of the primary key. */
export type KeyOf<Type extends ObjectTypeShape> =
  Type['types'] extends Record<Type['primaryKey'], infer Key>
    ? ComparedValue<Key>
    : string | number | boolean

/** An object with selected properties; the primary key is always one of them. */
export type Selected<Type extends ObjectTypeShape, Property extends string> = Pick<
  Type['object'],
  keyof Type['object'] & (Property | Type['primaryKey'])
>

/** The properties whose type is one of the given ones. */
export type PropertyOf<Type extends ObjectTypeShape, Allowed> = {
  [Name in PropertyName<Type>]: Type['types'][Name & keyof Type['types']] extends Allowed | 'any'
    ? Name
    : never
}[PropertyName<Type>]
