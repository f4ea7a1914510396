/**
 * Turns the properties that a client sends into the object that a store keeps. The JSON text of the
 * body is built here, once, at write time; pages copy it without parsing.
 */

import { OBJECT_MAX_BYTES, OBJECT_MAX_POSITIONS, OBJECT_MAX_VALUES } from '../../contract/limits.ts'
import type { PropertyType, ScalarType } from '../definition/property-type.ts'
import { objectId } from '../definition/rid.ts'
import { isJsonObject } from '../json-object.ts'
import type { ObjectType, Property } from '../ontology.ts'
import { finish, type Steps } from '../pausable-work.ts'
import { type PrimaryKey, primaryKeyOf, readPrimaryKey } from './primary-key.ts'
import { type ReadValue, valueSteps } from './read-value.ts'
import { RefusedValue } from './refused-value.ts'
import { type ParsedScalar, type ScalarCodec, scalarCodec } from './scalar-codec.ts'
import { SearchableCollector, type SearchableValues } from './searchable-values.ts'

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

/** Like `objectReader`, in steps, because an object can have many values. */
export function objectSteps(type: ObjectType): (properties: unknown) => Steps<StoredObject> {
  const known = [...type.properties.values()].map(knownProperty)
  const canBeMany = known.some(({ scalar }) => scalar === undefined)
  return function* (properties) {
    if (!isJsonObject(properties)) throw new RefusedObject('the properties are not a JSON object')
    for (const name of Object.keys(properties)) {
      if (!type.properties.has(name)) throw new RefusedObject('is not a property of the type', name)
    }
    // Before any value is parsed, because counting costs far less.
    const reason = canBeMany ? tooManyValues(type, properties) : undefined
    if (reason !== undefined) throw new RefusedObject(reason)
    const searchable = new SearchableCollector()
    let keyValue: ParsedScalar | undefined
    let titleJson: string | undefined
    let members: string | undefined
    for (const property of known) {
      const { apiName, scalar } = property
      const value = Object.hasOwn(properties, apiName) ? properties[apiName] : null
      if (value === null) continue
      let json: string
      try {
        if (scalar === undefined) json = yield* readLong(property, value, searchable)
        else {
          const parsed = scalar.codec.parse(value)
          json = scalar.codec.toJson(parsed)
          searchable.addScalar(property, scalar.type, parsed)
          if (apiName === type.primaryKey.apiName) keyValue = parsed
        }
      } catch (error) {
        throw refusedObject(apiName, error)
      }
      if (apiName === type.titleProperty) titleJson = json
      const member = property.label + json
      members = members === undefined ? member : `${members},${member}`
    }
    const { pk, text } = primaryKey(type, keyValue)
    const body = `{${members ?? ''}}`
    if (isLargerThan(body, OBJECT_MAX_BYTES)) {
      throw new RefusedObject(`the object is larger than ${OBJECT_MAX_BYTES} bytes`)
    }
    return {
      pk,
      objectId: objectId(type.rid, pk),
      key: JSON.stringify(text),
      title: titleOf(titleJson),
      body,
      searchable,
    }
  }
}

/** A property of a type, with what is the same for all objects. */
interface KnownProperty extends Omit<Property, 'type'> {
  /** The name in the body: `"name":`. */
  readonly label: string
  /** Undefined for arrays, structs and shapes, which can have many values. */
  readonly scalar: { readonly type: ScalarType; readonly codec: ScalarCodec } | undefined
  /** Checks an array, a struct or a shape. */
  readonly readSteps: (value: unknown) => Steps<ReadValue>
}

function knownProperty(property: Property): KnownProperty {
  const { apiName, type } = property
  const isScalar = type.kind === 'scalar' && type.type !== 'geoshape'
  const scalar = isScalar ? { type: type.type, codec: scalarCodec(type.type) } : undefined
  return { ...property, label: `"${apiName}":`, scalar, readSteps: valueSteps(type) }
}

/** Checks an array, a struct or a shape, and returns its JSON text. */
function* readLong(
  property: KnownProperty,
  value: unknown,
  searchable: SearchableCollector,
): Steps<string> {
  const { json, parts } = yield* property.readSteps(value)
  yield* searchable.addParts(property, parts)
  return json
}

/** UTF-8 takes at most three bytes for each UTF-16 code unit. */
function isLargerThan(text: string, maxBytes: number): boolean {
  return 3 * text.length > maxBytes && Buffer.byteLength(text) > maxBytes
}

function titleOf(json: string | undefined): string | null {
  if (json === undefined) return null
  return json.startsWith('"') ? json : `"${json}"`
}

function primaryKey(
  { primaryKey: { apiName, type } }: ObjectType,
  value: ParsedScalar | undefined,
): PrimaryKey {
  if (value === undefined) {
    throw new RefusedObject('is the primary key and is missing', apiName)
  }
  try {
    return primaryKeyOf(type, value)
  } catch (error) {
    throw refusedObject(apiName, error)
  }
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

/** Returns why the properties have too many values; undefined if they do not. */
function tooManyValues(
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
