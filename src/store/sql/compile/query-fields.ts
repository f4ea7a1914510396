import { typeAt } from '../../../ontology/definition/struct-path.ts'
/** Classifies the fields of an object type for queries. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { isComparable } from '../../../ontology/values/scalar-codec.ts'
import { fieldsOf } from '../../../ontology/values/searchable-values.ts'
import { circleBoxes } from '../../../query/matching/distance.ts'
import { type Box, boxOf, toShape } from '../../../query/matching/shape.ts'
import type { Field, GeoArea } from '../../../query/query.ts'
import { isText, resolveField } from '../../../query/resolve-field.ts'
import type { FieldNumbers } from './field-numbers.ts'

/** An object type, and the columns of its fields in one of its tables. */
export interface QueriedType<Numbers extends FieldNumbers = FieldNumbers> {
  readonly objectType: ObjectType
  readonly numbers: Numbers
}

/** Returns the fields that contain text. */
export function textFieldsOf(objectType: ObjectType): Field[] {
  return fieldsOf(objectType.properties.values()).filter(({ property, structField }) => {
    const resolved = resolveField(objectType, property, structField)
    return resolved !== undefined && isText(resolved)
  })
}

/** True for a field of geopoints. */
export function isGeoPoint(objectType: ObjectType, { property, structField }: Field): boolean {
  return resolveField(objectType, property, structField)?.type === 'geopoint'
}

/** True if a field can have several values, any of which may satisfy a condition. */
export function isMultiValued(objectType: ObjectType, { property, structField }: Field): boolean {
  return structField !== undefined || objectType.properties.get(property)?.type.kind !== 'scalar'
}

/**
 * How a store finds out that a struct field has a value: it has an entry in the index of values, or
 * the body has it, perhaps in an array. An empty array and an empty struct are values without entries.
 */
type Presence = 'entry' | 'inBody' | 'inArrays'

export function presenceOf(objectType: ObjectType, { property, structField }: Field): Presence {
  const whole = objectType.properties.get(property)?.type
  const end = whole && structField !== undefined ? typeAt(whole, structField) : undefined
  if (end?.type.kind === 'scalar' && isComparable(end.type.type)) return 'entry'
  return end?.isInArray ? 'inArrays' : 'inBody'
}

/** An area of more members is searched by one box around all of them. */
const MAX_BOXES = 4

/** Returns boxes that contain every position of the area: an index finds candidates by them. */
export function areaBoxes(area: GeoArea): Box[] {
  if (area.kind === 'circle') return circleBoxes(area.center, area.metres)
  const shape = toShape(area.members)
  return shape.length > MAX_BOXES ? [boxOf(shape)] : shape.map((member) => boxOf([member]))
}
