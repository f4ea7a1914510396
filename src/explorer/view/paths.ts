/** Paths lead to values: the name of a property, or `size/width` for the field of a struct. */
import {
  nameOfProperty,
  type ObjectRecord,
  type ObjectTypeDefinition,
  type PropertyType,
  wordsOf,
} from '../api/ontology.ts'
import type { JsonConditions } from './compile-filters.ts'

/** Returns a path as aggregations name it: `size/width` is `size.width`. */
export function fieldOf(path: string): string {
  return path.replaceAll('/', '.')
}

/** Returns the properties, and the fields of structs, that have values of their own. */
export function pathsOf({ properties }: ObjectTypeDefinition): readonly string[] {
  return Object.entries(properties).flatMap(([name, definition]) =>
    definition.type === 'struct' ? leavesOf(name, definition.fields) : [name],
  )
}

function leavesOf(name: string, fields: Readonly<Record<string, PropertyType>>) {
  return Object.entries(fields).flatMap(([field, { type }]) =>
    type === 'struct' || type === 'array' ? [] : [`${name}/${field}`],
  )
}

export function nameOfPath({ properties }: ObjectTypeDefinition, path: string): string {
  const [name = '', ...fields] = path.split('/')
  return [nameOfProperty(name, properties[name]), ...fields.map(wordsOf)].join(' › ')
}

/** Returns the value of an object at a path. */
export function valueAt({ properties }: ObjectRecord, path: string): unknown {
  const [name = '', field] = path.split('/')
  const value = properties[name]
  return field === undefined ? value : (value as ObjectRecord['properties'] | null)?.[field]
}

/** Returns the condition of objects without a value at a path, or with one. */
export function isNull(path: string, isMissing = true): JsonConditions {
  return { [path.replace('/', ':')]: { isNull: isMissing } }
}
