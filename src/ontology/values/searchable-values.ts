/** The values of an object by which queries find it. */

import type { ObjectType, Property } from '../ontology.ts'
import type { ColumnValue } from './column-value.ts'
import type { GeoPoint } from './read-geometry.ts'
import type { ReadValue } from './read-value.ts'
import { scalarCodec } from './scalar-codec.ts'
import { mapInSteps, type Steps } from './steps.ts'

/** A store keeps these beside the body, in the form that its database searches best. */
export interface SearchableValues {
  /** For each property with a value: its column value, or a marker that it is present. */
  readonly columns: ReadonlyMap<string, ColumnValue>
  /** The values of arrays and structs, any of which can satisfy a condition; each field once. */
  readonly elements: readonly FieldValues<ColumnValue>[]
  /** The texts that full-text conditions search; each field once. */
  readonly texts: readonly FieldValues<string>[]
  readonly points: readonly { readonly longitude: number; readonly latitude: number }[]
}

/** All values of one field. An object has few fields, but a field can have very many values. */
export interface FieldValues<Value> extends FieldId {
  readonly values: readonly Value[]
}

/** The column value of a property that is present but cannot be compared. */
const PRESENT = 1

/** Derives the searchable values from the checked properties of an object, in steps. */
export function* searchableValues(
  { properties }: ObjectType,
  values: ReadonlyMap<string, ReadValue>,
): Steps<SearchableValues> {
  const columns = new Map<string, ColumnValue>()
  const elements: FieldValues<ColumnValue>[] = []
  const texts: FieldValues<string>[] = []
  const points: { longitude: number; latitude: number }[] = []
  for (const [property, { parts }] of values) {
    const isScalar = properties.get(property)?.type.kind === 'scalar'
    if (!isScalar) columns.set(property, PRESENT)
    for (const { structField, type, values } of parts) {
      if (type === 'geopoint') {
        for (const { longitude, latitude } of values as readonly GeoPoint[]) {
          points.push({ longitude, latitude })
        }
      }
      // A text is its own column value: sharing the list avoids a copy.
      if (type === 'string') {
        texts.push({ property, structField, values: values as readonly string[] })
      }
      const encode = scalarCodec(type).column?.encode
      if (isScalar) {
        const [value] = values
        const column = encode === undefined || value === undefined ? PRESENT : encode(value)
        columns.set(property, column)
      } else if (encode !== undefined) {
        const encoded =
          type === 'string' ? (values as readonly string[]) : yield* mapInSteps(values, encode)
        elements.push({ property, structField, values: encoded })
      }
    }
  }
  return { columns, elements, texts, points }
}

/** A property, or one field of a struct. */
export interface FieldId {
  readonly property: string
  readonly structField: string | undefined
}

/** Returns every field that can hold a value: properties, and fields of structs. */
export function fieldsOf(properties: Iterable<Property>): FieldId[] {
  return [...properties].flatMap(({ apiName, type }) => {
    const inner = type.kind === 'array' ? type.items : type
    const fields = inner.kind === 'struct' ? [...inner.fields.keys()] : []
    return [
      { property: apiName, structField: undefined },
      ...fields.map((structField) => ({ property: apiName, structField })),
    ]
  })
}
