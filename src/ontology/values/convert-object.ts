/** Converts stored objects to a changed definition of their type. */

import {
  isSameType,
  type PropertyType,
  type ScalarType,
  type StructType,
} from '../definition/property-type.ts'
import { joinPath } from '../definition/struct-path.ts'
import type { RenamedProperties } from '../definition/type-change.ts'
import { isJsonObject } from '../json-object.ts'
import type { ObjectType } from '../ontology.ts'
import type { Steps } from '../pausable-work.ts'
import { isExactDouble } from './read-number.ts'
import { objectSteps, RefusedObject, type StoredObject } from './read-object.ts'
import { RefusedValue, refuse } from './refused-value.ts'

/**
 * Returns a function that converts the body of a stored object, in steps, because an object can
 * have many values. It throws `RefusedObject` if a value does not fit its new type.
 */
export function objectConverter(
  before: ObjectType,
  after: ObjectType,
  renamed: RenamedProperties,
): (body: string) => Steps<StoredObject> {
  const readSteps = objectSteps(after)
  const properties = [...after.properties].flatMap(([name, { type }]) => {
    const from = renamed.get(name) ?? name
    const earlier = before.properties.get(from)?.type
    if (earlier === undefined) return []
    return [{ name, from, earlier, type, isSame: isSameType(earlier, type) }]
  })
  return function* (body) {
    const stored = JSON.parse(body) as Readonly<Record<string, unknown>>
    const converted: Record<string, unknown> = Object.create(null)
    for (const { name, from, earlier, type, isSame } of properties) {
      if (!Object.hasOwn(stored, from)) continue
      const value = stored[from]
      try {
        converted[name] = isSame
          ? value
          : convertValue(value, earlier, type, { key: name, renamed })
      } catch (error) {
        if (!(error instanceof RefusedValue)) throw error
        throw new RefusedObject(error.reason, name + error.path)
      }
    }
    return yield* readSteps(converted)
  }
}

/** The path of a value, and the renamed fields of its type. */
interface ValuePath {
  readonly key: string
  readonly renamed: RenamedProperties
}

/**
 * Converts a stored value to another type, as far as there is one obvious way. The reader of the new
 * type checks the result.
 */
function convertValue(
  value: unknown,
  before: PropertyType,
  after: PropertyType,
  path: ValuePath,
): unknown {
  if (after.kind === 'array') {
    if (before.kind !== 'array') return [convertValue(value, before, after.items, path)]
    return (value as readonly unknown[]).map((item) =>
      convertValue(item, before.items, after.items, path),
    )
  }
  if (before.kind === 'array') {
    const { length, 0: only } = value as readonly unknown[]
    if (length !== 1) {
      refuse(
        `has ${length} elements; only an array with exactly one element can become a single value`,
      )
    }
    return convertValue(only, before.items, after, path)
  }
  if (before.kind === 'struct' && after.kind === 'struct') {
    return convertStruct(value as Readonly<Record<string, unknown>>, before, after, path)
  }
  if (before.kind !== 'scalar' || after.kind !== 'scalar') return value
  return convertScalar(value, before.type, after.type)
}

function convertStruct(
  struct: Readonly<Record<string, unknown>>,
  before: StructType,
  after: StructType,
  { key, renamed }: ValuePath,
): object {
  const fields = [...after.fields].flatMap(([field, type]) => {
    const fieldKey = joinPath(key, field)
    const from = renamed.get(fieldKey) ?? field
    const earlier = before.fields.get(from)
    if (earlier === undefined || !Object.hasOwn(struct, from)) return []
    try {
      return [
        [field, convertValue(struct[from], earlier, type, { key: fieldKey, renamed })] as const,
      ]
    } catch (error) {
      throw error instanceof RefusedValue ? error.inside(`.${field}`) : error
    }
  })
  return Object.fromEntries(fields)
}

const WHOLE_TYPES: readonly ScalarType[] = ['byte', 'short', 'integer', 'long']

function convertScalar(value: unknown, before: ScalarType, after: ScalarType): unknown {
  if (after === 'string') return textOf(value, before)
  if ((after === 'double' || after === 'float') && typeof value === 'string') {
    if (!isExactDouble(value)) refuse(`would be rounded to ${Number(value)}`)
    return value
  }
  // A stored number is exact: its shortest text is the number itself.
  if (after === 'decimal' && typeof value === 'number') return String(value)
  if (before === 'decimal' && WHOLE_TYPES.includes(after)) return String(value).replace(/\.0+$/, '')
  return value
}

function textOf(value: unknown, type: ScalarType): string {
  if (typeof value === 'string') return value
  if (type === 'attachment' && isJsonObject(value)) return String(value['rid'])
  return JSON.stringify(value)
}
