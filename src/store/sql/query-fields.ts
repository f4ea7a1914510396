import type { ObjectType } from '../../ontology/ontology.ts'
import { fieldsOf } from '../../ontology/values/searchable-values.ts'
import type { Field } from '../../query/query.ts'
import { isText, resolveField } from '../../query/resolve-field.ts'

/** What the fields of an object type are to a query. */

/** The fields that hold text. */
export function textFieldsOf(objectType: ObjectType): Field[] {
  return fieldsOf(objectType.properties.values()).filter(({ property, structField }) => {
    const resolved = resolveField(objectType, property, structField)
    return resolved !== undefined && isText(resolved)
  })
}

/** Whether a field has any number of values, each of which may fulfil a condition. */
export function isElement(objectType: ObjectType, { property, structField }: Field): boolean {
  return structField !== undefined || objectType.properties.get(property)?.type.kind !== 'scalar'
}
