/** Limits how many values an object has, before any of them is parsed. */
import { OBJECT_MAX_POSITIONS, OBJECT_MAX_VALUES } from '../../contract/limits.ts'
import type { PropertyType } from '../definition/property-type.ts'
import { isJsonObject } from '../json-object.ts'
import type { ObjectType } from '../ontology.ts'

/** Returns why the properties have too many values; undefined if they do not. */
export function tooManyValues(
  { properties: types }: ObjectType,
  properties: Readonly<Record<string, unknown>>,
): string | undefined {
  const counts: Counts = { values: 0, positions: 0 }
  for (const [name, value] of Object.entries(properties)) {
    const type = types.get(name)?.type
    if (type !== undefined) addCounts(type, value, counts, false)
  }
  if (counts.values > OBJECT_MAX_VALUES) {
    return `the object has more than ${OBJECT_MAX_VALUES} values in arrays`
  }
  if (counts.positions > OBJECT_MAX_POSITIONS) {
    return `the object has more than ${OBJECT_MAX_POSITIONS} positions in shapes`
  }
  return undefined
}

interface Counts {
  /** Elements of arrays; of a struct in an array, its members. */
  values: number
  positions: number
}

/** The depth is that of the type, so no value can exhaust the stack. */
function addCounts(type: PropertyType, value: unknown, counts: Counts, isInArray: boolean): void {
  if (counts.values > OBJECT_MAX_VALUES) return
  if (type.kind === 'array') {
    if (!Array.isArray(value)) return
    const { items } = type
    if (items.kind !== 'struct') counts.values += value.length
    if (items.kind === 'scalar' && items.type !== 'geoshape') return
    for (const item of value) addCounts(items, item, counts, true)
  } else if (type.kind === 'struct') {
    if (!isJsonObject(value)) {
      counts.values += isInArray ? 1 : 0
      return
    }
    if (isInArray) counts.values += Object.keys(value).length
    for (const [name, field] of type.fields) {
      if (field.kind === 'scalar' && field.type !== 'geoshape') continue
      if (Object.hasOwn(value, name)) addCounts(field, value[name], counts, isInArray)
    }
  } else if (type.type === 'geoshape') counts.positions += countPositions(value)
}

/** Deeper than any valid shape. Recursion ends there, so that no value can exhaust the stack. */
const SHAPE_DEPTH = 32

/** Counts the innermost arrays of GeoJSON, which need not be valid. */
function countPositions(value: unknown, depth = SHAPE_DEPTH): number {
  if (depth === 0) return 0
  if (Array.isArray(value)) {
    if (!value.some(isContainer)) return 1
    return value.reduce((count: number, part) => count + countPositions(part, depth - 1), 0)
  }
  if (!isJsonObject(value)) return 0
  const { coordinates, geometries } = value as { coordinates?: unknown; geometries?: unknown }
  return countPositions(coordinates, depth - 1) + countPositions(geometries, depth - 1)
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
