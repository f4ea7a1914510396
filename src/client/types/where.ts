/** Conditions on the properties of an object type, checked by the compiler. */
import type {
  ComparedValue,
  EquatableType,
  GeoPoint,
  ObjectTypeShape,
  OrderedType,
  PropertyName,
  ScalarType,
  UntypedObject,
} from './property-types.ts'
import type { StructFieldName, TypeAt } from './struct-paths.ts'

/**
 * Which conditions an endpoint supports: `search` of revision 1.0, `filters` in the query string of
 * linked objects, `family` of revision 2.0, or `objectSet` of v2.
 */
export type Grammar = 'search' | 'filters' | 'family' | 'objectSet'

/** A condition on an object; all members must hold. */
export type Where<Type extends ObjectTypeShape, G extends Grammar = 'search'> = PropertyConditions<
  Type,
  G
> &
  (G extends 'filters' ? object : StructConditions<Type, G> & Combinators<Type, G>) &
  (G extends 'family' ? FamilyConditions : object)

/** Every name is a property of an untyped object, and the service checks the values. */
type PropertyConditions<Type extends ObjectTypeShape, G extends Grammar> =
  string extends PropertyName<Type>
    ? UntypedConditions
    : {
        readonly [Name in PropertyName<Type>]?: PropertyCondition<
          Type['types'][Name & keyof Type['types']],
          G
        >
      }

interface UntypedConditions {
  // biome-ignore lint/suspicious/noExplicitAny: helpers return interfaces, which need this index type
  readonly [name: string]: any
}

export interface Combinators<Type extends ObjectTypeShape, G extends Grammar> {
  readonly $and?: readonly Where<Type, G>[]
  readonly $or?: readonly Where<Type, G>[]
  readonly $not?: Where<Type, G>
}

/** Conditions of revision 2.0 on a whole object. */
interface FamilyConditions {
  /** All terms occur in the texts of the object. */
  readonly $keyword?: string
  /** The position of the object is within a closed ring of longitudes and latitudes. */
  readonly $within?: readonly (readonly [longitude: number, latitude: number])[]
}

/** Conditions on struct fields, written `PROPERTY:FIELD:FIELD`. */
type StructConditions<Type extends ObjectTypeShape, G extends Grammar> = {
  readonly [Name in StructFieldName<Type>]?: PropertyCondition<TypeAt<Type['types'], Name>, G>
}

/** The condition on a property: a value that it equals, or operators. */
type PropertyCondition<Tag, G extends Grammar> = Tag extends readonly [infer Item]
  ? ArrayOperators<Item, G> & NullOperator<G>
  : Tag extends string
    ? FieldCondition<Tag, G, NullOperator<G>>
    : NullOperator<G>

type FieldCondition<Tag, G extends Grammar, More = object> =
  | (Tag extends EquatableType ? ComparedValue<Tag> : never)
  | (ScalarOperators<Tag, G> & More)

type NullOperator<G extends Grammar> = G extends 'family'
  ? object
  : {
      /** Whether the property has no value. */
      readonly isNull?: boolean
    }

type ScalarOperators<Tag, G extends Grammar> = (Tag extends EquatableType
  ? EqualityOperators<Tag>
  : object) &
  RangeOperators<Tag, G> &
  TextOperators<Tag, G> &
  GeoOperators<Tag, G>

type ArrayOperators<Item, G extends Grammar> = (Item extends ScalarType
  ? {
      /** One of the elements equals the value. */
      readonly contains?: ComparedValue<Item>
    }
  : object) &
  (G extends 'filters' ? object : TextOperators<Item, G>)

interface EqualityOperators<Tag> {
  readonly eq?: ComparedValue<Tag>
  readonly neq?: ComparedValue<Tag>
  /** Equal to one of the values. */
  readonly in?: readonly ComparedValue<Tag>[]
}

type RangeOperators<Tag, G extends Grammar> = Tag extends OrderedType
  ? G extends 'filters'
    ? Tag extends 'string'
      ? object
      : Range<Tag>
    : Range<Tag>
  : object

interface Range<Tag> {
  readonly lt?: ComparedValue<Tag>
  readonly lte?: ComparedValue<Tag>
  readonly gt?: ComparedValue<Tag>
  readonly gte?: ComparedValue<Tag>
}

type Terms = string | { readonly value: string; readonly fuzzy: boolean }

type TextOperators<Tag, G extends Grammar> = Tag extends 'string'
  ? (G extends 'search' | 'objectSet' ? TermOperators : object) &
      (G extends 'objectSet' ? PatternOperators : object)
  : object

/** Matching of whole terms, without regard to case. */
interface TermOperators {
  /** One of the terms occurs. */
  readonly anyTerm?: Terms
  /** All terms occur. */
  readonly allTerms?: Terms
  /** The terms occur in this order, next to each other. */
  readonly phrase?: string
  /** Like `phrase`; the last term can be the beginning of one. */
  readonly prefix?: string
}

interface PatternOperators {
  /** The whole value matches; `*` stands for any text and `?` for one character. */
  readonly wildcard?: string
  /** The whole value matches a regular expression. */
  readonly regex?: string
  /** Terms near each other, as the service documents the rule. */
  readonly interval?: object
}

type GeoOperators<Tag, G extends Grammar> = G extends 'objectSet'
  ? Tag extends 'geopoint'
    ? PointOperators
    : Tag extends 'geoshape'
      ? ShapeOperators
      : Tag extends 'date' | 'timestamp'
        ? { readonly relativeDateRange?: object }
        : object
  : object

interface BoundingBox {
  readonly topLeft: GeoPoint
  readonly bottomRight: GeoPoint
}

/** A GeoJSON polygon. */
interface Polygon {
  readonly type: 'Polygon'
  readonly coordinates: readonly (readonly (readonly number[])[])[]
}

interface PointOperators {
  readonly withinBoundingBox?: BoundingBox
  readonly withinPolygon?: Polygon
  readonly withinDistanceOf?: {
    readonly center: GeoPoint
    readonly distance: { readonly value: number; readonly unit: string }
  }
}

interface ShapeOperators {
  readonly intersectsBoundingBox?: BoundingBox
  readonly doesNotIntersectBoundingBox?: BoundingBox
  readonly intersectsPolygon?: Polygon
  readonly doesNotIntersectPolygon?: Polygon
}

/** Combines conditions; the type of the objects follows from where the result is used. */
export function and<Type extends ObjectTypeShape = UntypedObject, G extends Grammar = 'search'>(
  ...conditions: readonly NoInfer<Where<Type, G>>[]
): Combinators<Type, G> {
  return { $and: conditions }
}

export function or<Type extends ObjectTypeShape = UntypedObject, G extends Grammar = 'search'>(
  ...conditions: readonly NoInfer<Where<Type, G>>[]
): Combinators<Type, G> {
  return { $or: conditions }
}

export function not<Type extends ObjectTypeShape = UntypedObject, G extends Grammar = 'search'>(
  condition: NoInfer<Where<Type, G>>,
): Combinators<Type, G> {
  return { $not: condition }
}
