/** The values of an object by which queries find it. */

import type { Language } from '../definition/language.ts'
import type { ScalarType } from '../definition/property-type.ts'
import { joinPath, leavesOf } from '../definition/struct-path.ts'
import type { ObjectType, Property } from '../ontology.ts'
import { mapInSteps, type Steps } from '../pausable-work.ts'
import type { ColumnValue } from './column-value.ts'
import type { GeoPoint } from './read-geometry.ts'
import type { ValuePart } from './read-value.ts'
import { isComparable, type ParsedScalar, scalarCodec } from './scalar-codec.ts'

/** A store keeps these beside the body, in the form that its database searches best. */
export interface SearchableValues {
  /**
   * For each property with a value: its column value, or a marker that it is present. Also the column
   * values of struct fields that have at most one value, by `fieldKey`.
   */
  readonly columns: ColumnValues
  /** The values in arrays, any of which can satisfy a condition; each field once. */
  readonly elements: readonly FieldValues<ColumnValue>[]
  /** The texts that full-text conditions search; each field once. */
  readonly texts: readonly FieldTexts[]
  readonly points: readonly { readonly longitude: number; readonly latitude: number }[]
}

/** All values of one field. An object has few fields, but a field can have very many values. */
export interface FieldValues<Value> extends FieldId {
  readonly values: readonly Value[]
}

export interface FieldTexts extends FieldValues<string> {
  /** The language in which their terms are stemmed. */
  readonly language?: Language | undefined
}

/** The column value of a property that is present but cannot be compared. */
const PRESENT = 1

/** The places of the column values of a type, by `fieldKey`; see `columnFieldsOf`. */
export type FieldPlaces = ReadonlyMap<string, number>

export function fieldPlaces({ properties }: Pick<ObjectType, 'properties'>): FieldPlaces {
  const fields = columnFieldsOf(properties.values())
  return new Map(fields.map((field, place) => [fieldKey(field), place]))
}

/**
 * The column values of an object. The objects of a type share the places of their fields: a map of
 * its own for each object would take an eighth of the time of reading it. Plain data, because
 * objects are sent between threads.
 */
export interface ColumnValues {
  readonly places: FieldPlaces
  /** In the order of `columnFieldsOf`; null for a field without a value. */
  readonly values: (ColumnValue | null)[]
}

/** Returns the value of the field with a `fieldKey`; undefined if there is none. */
export function columnValue(
  { places, values }: ColumnValues,
  key: string,
): ColumnValue | undefined {
  return values[places.get(key) ?? -1] ?? undefined
}

/** Collects the searchable values of an object, property by property. */
export class SearchableCollector implements SearchableValues {
  readonly columns: ColumnValues
  readonly elements: FieldValues<ColumnValue>[] = []
  readonly texts: FieldTexts[] = []
  readonly points: { longitude: number; latitude: number }[] = []

  constructor(places: FieldPlaces) {
    this.columns = { places, values: [] }
    for (let place = 0; place < places.size; place += 1) this.columns.values.push(null)
  }

  #set(key: string, value: ColumnValue): void {
    const place = this.columns.places.get(key)
    if (place === undefined) throw new Error(`the type has no column ${key}`)
    this.columns.values[place] = value
  }

  /** Adds the value of a property without array or struct. */
  addScalar(
    { apiName: property, language }: Omit<Property, 'type'>,
    type: ScalarType,
    value: ParsedScalar,
  ): void {
    const encode = scalarCodec(type).column?.encode
    this.#set(property, encode === undefined ? PRESENT : encode(value))
    if (type === 'string') {
      this.texts.push({ property, structField: undefined, values: [value as string], language })
    } else if (type === 'geopoint') this.#addPoints([value as GeoPoint])
  }

  /** Adds the values of an array or a struct, in steps. */
  *addParts(
    { apiName: property, language }: Omit<Property, 'type'>,
    parts: readonly ValuePart[],
  ): Steps<undefined> {
    this.#set(property, PRESENT)
    for (const { structField, type, isMultiValued, values } of parts) {
      if (type === 'geopoint') this.#addPoints(values as readonly GeoPoint[])
      // A text is its own column value: sharing the list avoids a copy.
      if (type === 'string') {
        this.texts.push({ property, structField, values: values as readonly string[], language })
      }
      const encode = scalarCodec(type).column?.encode
      if (encode === undefined) continue
      const [value] = values
      if (!isMultiValued && value !== undefined) {
        this.#set(fieldKey({ property, structField }), encode(value))
        continue
      }
      const encoded =
        type === 'string' ? (values as readonly string[]) : yield* mapInSteps(values, encode)
      this.elements.push({ property, structField, values: encoded })
    }
  }

  #addPoints(points: readonly GeoPoint[]): void {
    for (const { longitude, latitude } of points) this.points.push({ longitude, latitude })
  }
}

/** A property, or one field of a struct. */
export interface FieldId {
  readonly property: string
  /** The path inside the struct, see struct-path.ts. */
  readonly structField: string | undefined
}

/** Returns a text that identifies a field within its type. */
export function fieldKey({ property, structField }: FieldId): string {
  return structField === undefined ? property : joinPath(property, structField)
}

/** A field of an object type. */
export interface TypeField extends FieldId {
  /** True if objects have at most one value of the field, and its values can be compared. */
  readonly isColumn: boolean
  /** True if its column holds timestamps. */
  readonly isTimestamp: boolean
}

/** Returns the fields that objects have at most one value of, in the order of `ColumnValues`. */
export function columnFieldsOf(properties: Iterable<Property>): TypeField[] {
  return fieldsOf(properties).filter(({ isColumn }) => isColumn)
}

/** Returns every field that can hold a value: properties, and the leaves of structs. */
export function fieldsOf(properties: Iterable<Property>): TypeField[] {
  return [...properties].flatMap(({ apiName, type }): TypeField[] => [
    {
      property: apiName,
      structField: undefined,
      isColumn: true,
      isTimestamp: type.kind === 'scalar' && type.type === 'timestamp',
    },
    ...leavesOf(type).map((leaf) => {
      const isColumn = !leaf.isMultiValued && isComparable(leaf.type)
      const isTimestamp = isColumn && leaf.type === 'timestamp'
      return { property: apiName, structField: leaf.path, isColumn, isTimestamp }
    }),
  ])
}
