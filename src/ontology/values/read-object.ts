/**
 * Turns the properties that a client sends into the object that a store keeps. The JSON text of the
 * body is built here, once, at write time; pages copy it without parsing.
 */

import { OBJECT_MAX_BYTES } from '../../contract/limits.ts'
import type { ScalarType } from '../definition/property-type.ts'
import { objectId } from '../definition/rid.ts'
import { isJsonObject } from '../json-object.ts'
import type { ObjectType, Property } from '../ontology.ts'
import { finish, type Steps } from '../pausable-work.ts'
import { type PrimaryKey, primaryKeyOf, readPrimaryKey } from './primary-key.ts'
import { type ReadValue, valueSteps } from './read-value.ts'
import { RefusedValue } from './refused-value.ts'
import { type ParsedScalar, type ScalarCodec, scalarCodec } from './scalar-codec.ts'
import {
  type FieldPlaces,
  fieldPlaces,
  SearchableCollector,
  type SearchableValues,
} from './searchable-values.ts'
import { tooManyValues } from './too-many-values.ts'

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
  const known = knownProperties(type)
  const scalars = known.flatMap(({ scalar, ...one }) => (scalar ? [{ ...one, scalar }] : []))
  if (scalars.length < known.length) {
    const readSteps = objectSteps(type)
    return (properties) => finish(readSteps(properties))
  }
  const places = fieldPlaces(type)
  // A plain function: a generator would take a tenth of the time of such an object.
  return (properties) => {
    const values = checkNames(type, properties)
    const object = new ObjectBuilder(type, places)
    for (const property of scalars) {
      const value = valueIn(values, property)
      if (value !== null) object.addScalar(property, property.scalar, value)
    }
    return object.finish()
  }
}

type StepsOfObject = (properties: unknown) => Steps<StoredObject>

const STEPS = new WeakMap<ObjectType, StepsOfObject>()

/**
 * Like `objectReader`, in steps, because an object can have many values. The result is kept for as
 * long as the type: to create it costs several times as much as to read an object.
 */
export function objectSteps(type: ObjectType): StepsOfObject {
  const known = STEPS.get(type) ?? createSteps(type)
  STEPS.set(type, known)
  return known
}

function createSteps(type: ObjectType): StepsOfObject {
  const known = knownProperties(type)
  const places = fieldPlaces(type)
  const canBeMany = known.some(({ scalar }) => scalar === undefined)
  return function* (properties) {
    const values = checkNames(type, properties)
    // Before any value is parsed, because counting costs far less.
    const reason = canBeMany ? tooManyValues(type, values) : undefined
    if (reason !== undefined) throw new RefusedObject(reason)
    const object = new ObjectBuilder(type, places)
    for (const property of known) {
      const value = valueIn(values, property)
      if (value === null) continue
      const { scalar } = property
      if (scalar !== undefined) object.addScalar(property, scalar, value)
      else object.addMember(property, yield* readLong(property, value, object.searchable))
    }
    return object.finish()
  }
}

type Properties = Readonly<Record<string, unknown>>

/** Throws unless the properties are those of a type. */
function checkNames(type: ObjectType, properties: unknown): Properties {
  if (!isJsonObject(properties)) throw new RefusedObject('the properties are not a JSON object')
  for (const name of Object.keys(properties)) {
    if (!type.properties.has(name)) throw new RefusedObject('is not a property of the type', name)
  }
  return properties
}

function valueIn(properties: Properties, { apiName }: Pick<Property, 'apiName'>): unknown {
  return Object.hasOwn(properties, apiName) ? properties[apiName] : null
}

/** The values of an object so far, in the order of its type. */
class ObjectBuilder {
  readonly searchable: SearchableCollector
  readonly #type: ObjectType
  /** The parts of the body. */
  readonly #body: string[] = []
  #keyValue: ParsedScalar | undefined
  #titleJson: string | undefined

  constructor(type: ObjectType, places: FieldPlaces) {
    this.#type = type
    this.searchable = new SearchableCollector(places)
  }

  addScalar(property: Member, { type, codec }: KnownScalar, value: unknown): void {
    try {
      const parsed = codec.parse(value)
      this.searchable.addScalar(property, type, parsed)
      if (property.isKey) this.#keyValue = parsed
      this.addMember(property, codec.toJson(parsed))
    } catch (error) {
      throw refusedObject(property.apiName, error)
    }
  }

  addMember({ label, isTitle }: Member, json: string): void {
    if (isTitle) this.#titleJson = json
    this.#body.push(this.#body.length === 0 ? '{' : ',', label, json)
  }

  finish(): StoredObject {
    const { pk, text } = primaryKey(this.#type, this.#keyValue)
    this.#body.push('}')
    // Joined at once: a string that grows by concatenation is a tree, which is copied several times.
    const body = this.#body.join('')
    if (isLargerThan(body, OBJECT_MAX_BYTES)) {
      throw new RefusedObject(`the object is larger than ${OBJECT_MAX_BYTES} bytes`)
    }
    return {
      pk,
      objectId: objectId(this.#type.rid, pk),
      key: JSON.stringify(text),
      title: titleOf(this.#titleJson),
      body,
      searchable: this.searchable,
    }
  }
}

type Member = Omit<KnownProperty, 'scalar'>

interface KnownScalar {
  readonly type: ScalarType
  readonly codec: ScalarCodec
}

/** A property of a type, with what is the same for all objects. */
interface KnownProperty extends Omit<Property, 'type'> {
  /** The name in the body: `"name":`. */
  readonly label: string
  readonly isKey: boolean
  readonly isTitle: boolean
  /** Undefined for arrays, structs and shapes, which can have many values. */
  readonly scalar: KnownScalar | undefined
  /** Checks an array, a struct or a shape. */
  readonly readSteps: (value: unknown) => Steps<ReadValue>
}

function knownProperties({ properties, primaryKey, titleProperty }: ObjectType): KnownProperty[] {
  return Array.from(properties.values(), (property) => {
    const { apiName, type } = property
    const isScalar = type.kind === 'scalar' && type.type !== 'geoshape'
    return {
      ...property,
      label: `"${apiName}":`,
      isKey: apiName === primaryKey.apiName,
      isTitle: apiName === titleProperty,
      scalar: isScalar ? { type: type.type, codec: scalarCodec(type.type) } : undefined,
      readSteps: valueSteps(type),
    }
  })
}

/** Checks an array, a struct or a shape, and returns its JSON text. */
function* readLong(
  property: KnownProperty,
  value: unknown,
  searchable: SearchableCollector,
): Steps<string> {
  try {
    const { json, parts } = yield* property.readSteps(value)
    yield* searchable.addParts(property, parts)
    return json
  } catch (error) {
    throw refusedObject(property.apiName, error)
  }
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
