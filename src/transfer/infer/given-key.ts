/** The primary key that the user chose. */
import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import { isPrimaryKeyType, type ScalarType } from '../../ontology/definition/property-type.ts'
import { type ColumnOptions, unknownColumn } from '../columns/column-plan.ts'

/** Returns the given key column, which may also be the name of its property. */
export function givenKeyColumn(
  propertyOf: ReadonlyMap<string, string>,
  { key }: ColumnOptions,
): string | undefined {
  if (key === undefined || propertyOf.has(key)) return key
  const column = [...propertyOf].find(([, property]) => property === key)?.[0]
  if (column === undefined) throw unknownColumn({ name: 'key' }, key, [...propertyOf.keys()])
  return column
}

/** Makes a property the primary key; one with a type that cannot be a key becomes a string. */
export function makeKey(properties: Map<string, PropertyDefinition>, name: string): void {
  const property = properties.get(name)
  if (property === undefined || isPrimaryKeyType(property.type as ScalarType)) return
  const { items, fields, ...scalar } = property
  properties.set(name, { ...scalar, type: 'string' })
}
