/** Which columns an object type has. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { fieldsOf } from '../../../ontology/values/searchable-values.ts'
import { resolveField } from '../../../query/resolve-field.ts'
import type { ColumnSpec } from './column.ts'

/** Returns a column for every property, and for every struct field that can be compared. */
export function columnSpecs(objectType: ObjectType): ColumnSpec[] {
  return fieldsOf(objectType.properties.values()).flatMap(({ property, structField }) => {
    const resolved = resolveField(objectType, property, structField)
    if (resolved === undefined) return []
    const { type, isMultiValued } = resolved
    const language = objectType.properties.get(property)?.language
    const isPoint = type === 'geopoint'
    // Lists of points, and points inside of structs, have no columns.
    if (isPoint && (isMultiValued || structField !== undefined)) return []
    const isStructOnly = structField !== undefined && (type === undefined || !isColumnType(type))
    return isStructOnly ? [] : [{ property, structField, type, isList: isMultiValued, language }]
  })
}

function isColumnType(type: NonNullable<ColumnSpec['type']>): boolean {
  return type !== 'geoshape' && type !== 'attachment'
}
