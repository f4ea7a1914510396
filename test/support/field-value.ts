import type { StoredObject } from '../../src/ontology/values/read-object.ts'
import { columnValue, fieldKey } from '../../src/ontology/values/searchable-values.ts'
import type { FieldValue } from '../../src/store/columns/segment/build-column.ts'
import type { ColumnSpec } from '../../src/store/columns/segment/column.ts'

/** Returns what an object has in the field of a column. */
export function fieldValue(spec: ColumnSpec, { searchable, body }: StoredObject): FieldValue {
  const key = fieldKey(spec)
  if (spec.type === 'geopoint') {
    const properties = new Map(Object.entries(JSON.parse(body) as Record<string, unknown>))
    const point = properties.get(spec.property) as { coordinates: [number, number] } | undefined
    return point && { longitude: point.coordinates[0], latitude: point.coordinates[1] }
  }
  if (!spec.isList) return columnValue(searchable.columns, key)
  const elements = searchable.elements.find((one) => fieldKey(one) === key)?.values
  return elements ?? (columnValue(searchable.columns, spec.property) === undefined ? undefined : [])
}
