/** Values of action parameters, whose JSON differs from that of properties in a few types. */
import type { PropertyType } from '../../ontology/definition/property-type.ts'
import { isJsonObject } from '../../ontology/json-object.ts'

/** Returns the value of a property for the value of a parameter. What is invalid stays as it is. */
export function toPropertyValue(type: PropertyType, value: unknown): unknown {
  if (type.kind === 'array') {
    return Array.isArray(value) ? value.map((item) => toPropertyValue(type.items, item)) : value
  }
  if (type.kind === 'struct') {
    if (!isJsonObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const field = type.fields.get(name)
        return [name, field === undefined ? member : toPropertyValue(field, member)]
      }),
    )
  }
  if (typeof value !== 'string') return value
  if (type.type === 'geopoint') return toPoint(value)
  return type.type === 'attachment' ? { rid: value } : value
}

/** Official clients send a position as `latitude,longitude`. */
function toPoint(text: string): unknown {
  const parts = /^\s*(-?[\d.]+(?:e[-+]?\d+)?)\s*,\s*(-?[\d.]+(?:e[-+]?\d+)?)\s*$/i.exec(text)
  if (parts === null) return text
  return { type: 'Point', coordinates: [Number(parts[2]), Number(parts[1])] }
}

/** Returns the key in the value of a parameter that names an object, alone or in an object locator. */
export function readLocator(value: unknown): { readonly objectType?: unknown; key: unknown } {
  if (!isJsonObject(value)) return { key: value }
  const { objectTypeApiName, primaryKeyValue } = value as Record<string, unknown>
  return { objectType: objectTypeApiName, key: primaryKeyValue }
}
