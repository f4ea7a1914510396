/** Reads the values of columns from objects that are about to be stored. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { isComparable } from '../../../ontology/values/scalar-codec.ts'
import { fieldKey, fieldPlaces } from '../../../ontology/values/searchable-values.ts'
import type { ColumnSpec } from '../segment/column.ts'
import type { FieldValue, Point } from '../segment/column-builder.ts'

type ReadValue = (object: StoredObject) => FieldValue

/** Returns a function that reads the values of an object, in the order of the specs. */
export function storedValues(
  objectType: ObjectType,
  specs: readonly ColumnSpec[],
): (object: StoredObject) => readonly FieldValue[] {
  const places = fieldPlaces(objectType)
  const readers = specs.map((spec): ReadValue => {
    const { property, structField, type, isList } = spec
    const placeOf = (field: ColumnSpec) => places.get(fieldKey(field)) ?? -1
    if (type === 'geopoint') return pointReader(property)
    if (!isList || type === undefined || !isComparable(type)) {
      const place = placeOf(spec)
      return ({ searchable }) => searchable.columns.values[place] ?? undefined
    }
    const ofProperty = placeOf({ ...spec, structField: undefined })
    return ({ searchable: { columns, elements } }) => {
      if ((columns.values[ofProperty] ?? null) === null) return undefined
      const found = elements.find(
        (one) => one.property === property && one.structField === structField,
      )
      return found?.values ?? []
    }
  })
  return (object) => readers.map((read) => read(object))
}

/** Positions of several properties are not told apart beside the body. */
function pointReader(property: string): ReadValue {
  return ({ body }): Point | undefined => {
    const values = JSON.parse(body) as Readonly<
      Record<string, { readonly coordinates: readonly [number, number] }>
    >
    if (!Object.hasOwn(values, property)) return undefined
    const [longitude, latitude] = values[property]?.coordinates ?? [0, 0]
    return { longitude, latitude }
  }
}
