/** Columns: the values of one field of an object type, by position. */
import type { Language } from '../../../ontology/definition/language.ts'
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import type { Bits } from '../arrays/bits.ts'
import { Dictionary, type DictionaryPlace } from '../arrays/dictionary.ts'
import {
  arrayAt,
  type Image,
  type NumberArray,
  type NumberRange,
  numbersAt,
  type Place,
} from '../arrays/shared-arrays.ts'

/** What a column is made from. */
export interface ColumnSpec extends FieldId {
  /** Undefined for a field of which only the presence matters: a struct, a shape. */
  readonly type: ScalarType | undefined
  /** True if an object can have several values. */
  readonly isList: boolean
  readonly language?: Language | undefined
  /** Stores numbers as texts, as if one of them were not exact. */
  readonly asTexts?: boolean | undefined
}

/** Where a column lies in its image. */
export type ColumnPlace =
  | {
      readonly kind: 'numbers'
      readonly type: ScalarType
      readonly values: Place
      readonly present: Place<'u32'> | undefined
      readonly range: NumberRange
    }
  | {
      readonly kind: 'codes'
      readonly type: ScalarType
      readonly codes: Place
      readonly dictionary: DictionaryPlace
    }
  | {
      readonly kind: 'points'
      readonly longitudes: Place<'f64'>
      readonly latitudes: Place<'f64'>
      readonly present: Place<'u32'> | undefined
    }
  | { readonly kind: 'presence'; readonly present: Place<'u32'> }
  | {
      readonly kind: 'list'
      readonly starts: Place<'u32'>
      readonly values: ColumnPlace
      readonly present: Place<'u32'> | undefined
    }

export type Column = NumberColumn | CodeColumn | PointColumn | PresenceColumn | ListColumn

/** Values as numbers that doubles hold exactly, see stored-form.ts. NaN is larger than all others. */
export interface NumberColumn {
  readonly kind: 'numbers'
  readonly type: ScalarType
  readonly values: NumberArray
  /** The positions with a value; undefined if all have one. */
  readonly present: Bits | undefined
  /** Without NaN. */
  readonly range: NumberRange
}

/** Values as texts, which are their number in the dictionary plus one; 0 is no value. */
export interface CodeColumn {
  readonly kind: 'codes'
  readonly type: ScalarType
  readonly codes: NumberArray
  readonly dictionary: Dictionary
}

export interface PointColumn {
  readonly kind: 'points'
  readonly longitudes: Float64Array
  readonly latitudes: Float64Array
  readonly present: Bits | undefined
}

interface PresenceColumn {
  readonly kind: 'presence'
  readonly present: Bits
}

/** Several values for each position p: from `starts[p]` to `starts[p + 1]`, which have no nulls. */
export interface ListColumn {
  readonly kind: 'list'
  readonly starts: Uint32Array
  readonly values: NumberColumn | CodeColumn | PointColumn
  /** The positions with a list, which may be empty; undefined if all have one. */
  readonly present: Bits | undefined
}

export function columnAt(image: Image, place: ColumnPlace): Column {
  const bits = (at: Place<'u32'> | undefined) => at && arrayAt(image, at)
  switch (place.kind) {
    case 'numbers':
      return {
        kind: 'numbers',
        type: place.type,
        values: numbersAt(image, place.values),
        present: bits(place.present),
        range: place.range,
      }
    case 'codes':
      return {
        kind: 'codes',
        type: place.type,
        codes: numbersAt(image, place.codes),
        dictionary: new Dictionary(image, place.dictionary),
      }
    case 'points':
      return {
        kind: 'points',
        longitudes: arrayAt(image, place.longitudes),
        latitudes: arrayAt(image, place.latitudes),
        present: bits(place.present),
      }
    case 'presence':
      return { kind: 'presence', present: arrayAt(image, place.present) }
    case 'list':
      return {
        kind: 'list',
        starts: arrayAt(image, place.starts),
        values: columnAt(image, place.values) as ListColumn['values'],
        present: bits(place.present),
      }
  }
}
