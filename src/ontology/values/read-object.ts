/**
 * Turns the properties that a client sends into the object that a store keeps. The JSON text of the
 * body is built here, once, at write time; pages copy it without parsing.
 */

import { OBJECT_MAX_BYTES, OBJECT_MAX_POSITIONS, OBJECT_MAX_VALUES } from '../../contract/limits.ts'
import type { PropertyType } from '../definition/property-type.ts'
import { objectId } from '../definition/rid.ts'
import type { ObjectType } from '../ontology.ts'
import { type PrimaryKey, primaryKeyOf, readPrimaryKey } from './primary-key.ts'
import { type ReadValue, readArray, readSingleSteps } from './read-value.ts'
import { isJsonObject, RefusedValue } from './refused-value.ts'
import { type SearchableValues, searchableValues } from './searchable-values.ts'
import { finish, type Steps } from './steps.ts'

/** An object, ready to be stored. All texts except `pk` and `objectId` are JSON. */
export interface StoredObject {
  readonly pk: string
  readonly objectId: string
  /** The primary key as a JSON string. */
  readonly key: string
  /** The title as a JSON string. */
  readonly title: string | null
  /** The properties as a JSON object without nulls, in the order of the type. */
  readonly body: string
  readonly searchable: SearchableValues
}

/** Why an object was refused, and at which property. */
export class RefusedObject extends Error {
  readonly property: string | undefined
  readonly reason: string

  constructor(reason: string, property?: string) {
    super(property === undefined ? reason : `${property} ${reason}`)
    this.name = 'RefusedObject'
    this.property = property
    this.reason = reason
  }
}

export type ObjectReader = (properties: unknown) => StoredObject

/** Returns the function that checks and serialises objects of a type. */
export function objectReader(type: ObjectType): ObjectReader {
  const readSteps = objectSteps(type)
  return (properties) => finish(readSteps(properties))
}

/** Like `objectReader`, in steps: an object with many values takes long. */
export function objectSteps(type: ObjectType): (properties: unknown) => Steps<StoredObject> {
  return function* (properties) {
    if (!isJsonObject(properties)) throw new RefusedObject('the properties are not a JSON object')
    for (const name of Object.keys(properties)) {
      if (!type.properties.has(name)) throw new RefusedObject('is not a property of the type', name)
    }
    refuseManyValues(type, properties)
    const values = new Map<string, ReadValue>()
    const members: string[] = []
    for (const [name, { type: propertyType }] of type.properties) {
      const value = Object.hasOwn(properties, name) ? properties[name] : null
      if (value === null) continue
      try {
        const read =
          propertyType.kind === 'array'
            ? yield* readArray(propertyType, value)
            : yield* readSingleSteps(propertyType, value)
        values.set(name, read)
        members.push(`"${name}":${read.json}`)
      } catch (error) {
        throw refusedObject(name, error)
      }
    }
    const { pk, text } = primaryKey(type, values)
    const body = `{${members.join(',')}}`
    if (Buffer.byteLength(body) > OBJECT_MAX_BYTES) {
      throw new RefusedObject(`the object is larger than ${OBJECT_MAX_BYTES} bytes`)
    }
    return {
      pk,
      objectId: objectId(type.rid, pk),
      key: JSON.stringify(text),
      title: titleOf(type, values),
      body,
      searchable: yield* searchableValues(type, values),
    }
  }
}

function primaryKey(
  { primaryKey: { apiName, type } }: ObjectType,
  values: ReadonlyMap<string, ReadValue>,
): PrimaryKey {
  const value = values.get(apiName)?.parts[0]?.values[0]
  if (value === undefined) {
    throw new RefusedObject('is the primary key and is missing', apiName)
  }
  try {
    return primaryKeyOf(type, value)
  } catch (error) {
    throw refusedObject(apiName, error)
  }
}

function titleOf(
  { titleProperty }: ObjectType,
  values: ReadonlyMap<string, ReadValue>,
): string | null {
  const json = titleProperty === undefined ? undefined : values.get(titleProperty)?.json
  if (json === undefined) return null
  return json.startsWith('"') ? json : `"${json}"`
}

/** Runs before any value is parsed, because counting costs far less. */
function refuseManyValues(type: ObjectType, properties: Readonly<Record<string, unknown>>): void {
  let count = 0
  let positions = 0
  for (const [name, value] of Object.entries(properties)) {
    const property = type.properties.get(name)?.type
    if (isShape(property)) positions += countPositions(value)
    if (!Array.isArray(value)) continue
    const isOfStructs = property?.kind === 'array' && property.items.kind === 'struct'
    count += isOfStructs ? countFields(value) : value.length
  }
  if (count > OBJECT_MAX_VALUES) {
    throw new RefusedObject(`the object has more than ${OBJECT_MAX_VALUES} values in arrays`)
  }
  if (positions > OBJECT_MAX_POSITIONS) {
    throw new RefusedObject(`the object has more than ${OBJECT_MAX_POSITIONS} positions in shapes`)
  }
}

function isShape(property: PropertyType | undefined): boolean {
  const single = property?.kind === 'array' ? property.items : property
  return single?.kind === 'scalar' && single.type === 'geoshape'
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

function countFields(structs: readonly unknown[]): number {
  let count = 0
  for (const struct of structs) {
    count += isJsonObject(struct) ? Object.keys(struct).length : 1
    if (count > OBJECT_MAX_VALUES) break
  }
  return count
}

/** Parses the primary key of an object to delete. */
export function readObjectKey(
  { primaryKey: { apiName, type } }: ObjectType,
  value: unknown,
): PrimaryKey {
  try {
    return readPrimaryKey(type, value)
  } catch (error) {
    throw refusedObject(apiName, error)
  }
}

function refusedObject(property: string, error: unknown): unknown {
  return error instanceof RefusedValue
    ? new RefusedObject(error.reason, property + error.path)
    : error
}
