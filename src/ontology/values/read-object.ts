/**
 * Turns the properties that a client sends into the object that a store keeps. The JSON text of the
 * body is built here, once, at write time; pages copy it without parsing.
 */

import { OBJECT_MAX_BYTES } from '../../contract/limits.ts'
import { constraintChecker, scalarChecker, type Violation } from '../check-constraints.ts'
import type { ConstraintType, DefaultDefinition } from '../constraint-schema.ts'
import type { PropertyType, ScalarType } from '../definition/property-type.ts'
import { objectId } from '../definition/rid.ts'
import { isJsonObject } from '../json-object.ts'
import type { ObjectType, Property } from '../ontology.ts'
import { finish, type Steps } from '../pausable-work.ts'
import type { Constraint } from '../rules.ts'
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

/** A value that violates a constraint, or a required one that is missing. */
export interface ObjectViolation {
  /** With the path inside the property. */
  readonly property: string
  readonly constraint: ConstraintType | 'required'
  readonly reason: string
}

/** An object whose values have the right types, but violate constraints. */
export class ViolatingObject extends RefusedObject {
  readonly violations: readonly ObjectViolation[]
  /** The primary key as text; undefined if it is missing. */
  readonly key: string | undefined

  constructor(first: ObjectViolation, violations: readonly ObjectViolation[], key?: string) {
    super(first.reason, first.property)
    this.name = 'ViolatingObject'
    this.violations = violations
    this.key = key
  }
}

/** Checks and serialises properties. No default applies unless an object is created. */
export type ObjectReader = (properties: unknown, creation?: Creation) => StoredObject

/** What the defaults of new objects are made from. */
export interface Creation extends CreationFacts {
  readonly newUuid: () => string
}

export interface CreationFacts {
  /** The subject of the caller. */
  readonly userId: string
  readonly nowMs: number
}

export interface ReadOptions {
  /** True if the properties are a part of an object, in which required ones may be missing. */
  readonly isPart?: boolean
}

/** Returns the function that checks and serialises objects of a type. */
export function objectReader(type: ObjectType, options: ReadOptions = {}): ObjectReader {
  const known = knownProperties(type, options)
  const scalars = known.flatMap(({ scalar, ...one }) => (scalar ? [{ ...one, scalar }] : []))
  if (scalars.length < known.length) {
    const readSteps = createSteps(type, options)
    return (properties, creation) => finish(readSteps(properties, creation))
  }
  const places = fieldPlaces(type)
  // A plain function: a generator would take a tenth of the time of such an object.
  return (properties, creation) => {
    const values = checkNames(type, properties)
    const object = new ObjectBuilder(type, places)
    for (const property of scalars) {
      const value = valueIn(values, property) ?? object.absentValue(property, creation)
      if (value !== null) object.addScalar(property, property.scalar, value)
    }
    return object.finish()
  }
}

type StepsOfObject = (properties: unknown, creation?: Creation) => Steps<StoredObject>

/**
 * Like `objectReader`, in steps, because an object can have many values. The result is kept for as
 * long as the type: to create it costs several times as much as to read an object.
 */
export const objectSteps = perType((type) => createSteps(type, {}))

function perType<Result extends object>(create: (type: ObjectType) => Result) {
  const known = new WeakMap<ObjectType, Result>()
  return (type: ObjectType): Result => {
    const result = known.get(type) ?? create(type)
    known.set(type, result)
    return result
  }
}

function createSteps(type: ObjectType, options: ReadOptions): StepsOfObject {
  const known = knownProperties(type, options)
  const places = fieldPlaces(type)
  const canBeMany = known.some(({ scalar }) => scalar === undefined)
  return function* (properties, creation) {
    const values = checkNames(type, properties)
    // Before any value is parsed, because counting costs far less.
    const reason = canBeMany ? tooManyValues(type, values) : undefined
    if (reason !== undefined) throw new RefusedObject(reason)
    const object = new ObjectBuilder(type, places)
    for (const property of known) {
      const value = valueIn(values, property) ?? object.absentValue(property, creation)
      if (value === null) continue
      const { scalar } = property
      if (scalar !== undefined) object.addScalar(property, scalar, value)
      else object.addChecked(property, yield* readLong(property, value, object.searchable))
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
  /** Undefined as long as there are none. */
  #violations: ObjectViolation[] | undefined
  #keyValue: ParsedScalar | undefined
  #titleJson: string | undefined

  constructor(type: ObjectType, places: FieldPlaces) {
    this.#type = type
    this.searchable = new SearchableCollector(places)
  }

  /** Returns the default of a property without a value, which is null if it has none. */
  absentValue({ apiName, type, rules, isRequired }: Member, creation?: Creation): unknown {
    if (rules?.default !== undefined && creation !== undefined) {
      return defaultValue(rules.default, type, creation)
    }
    if (isRequired) {
      this.#addViolation({ property: apiName, constraint: 'required', reason: 'is required' })
    }
    return null
  }

  addScalar(property: Member, { type, codec, check }: KnownScalar, value: unknown): void {
    try {
      const parsed = codec.parse(value)
      if (check !== undefined) this.#check(property, check(parsed))
      this.searchable.addScalar(property, type, parsed)
      if (property.isKey) this.#keyValue = parsed
      this.addMember(property, codec.toJson(parsed))
    } catch (error) {
      throw refusedObject(property.apiName, error)
    }
  }

  /** Adds an array, a struct or a shape, and checks its constraints. */
  addChecked(property: KnownProperty, json: string): void {
    if (property.checkJson !== undefined) {
      this.#check(property, property.checkJson(JSON.parse(json)))
    }
    this.addMember(property, json)
  }

  #check({ apiName }: Member, violation: Violation | undefined): void {
    if (violation === undefined) return
    const { constraint, path, reason } = violation
    this.#addViolation({ property: apiName + path, constraint, reason })
  }

  #addViolation(violation: ObjectViolation): void {
    this.#violations ??= []
    this.#violations.push(violation)
  }

  addMember({ label, isTitle }: Member, json: string): void {
    if (isTitle) this.#titleJson = json
    this.#body.push(this.#body.length === 0 ? '{' : ',', label, json)
  }

  finish(): StoredObject {
    const [violation] = this.#violations ?? []
    if (this.#violations !== undefined && violation !== undefined) {
      const key = this.#keyValue === undefined ? undefined : this.#key().text
      throw new ViolatingObject(violation, this.#violations, key)
    }
    const { pk, text } = this.#key()
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

  #key(): PrimaryKey {
    return primaryKey(this.#type, this.#keyValue)
  }
}

type Member = Omit<KnownProperty, 'scalar' | 'checkJson'>

interface KnownScalar {
  readonly type: ScalarType
  readonly codec: ScalarCodec
  /** Undefined without constraints. */
  readonly check: ((parsed: ParsedScalar) => Violation | undefined) | undefined
}

/** A property of a type, with what is the same for all objects. */
interface KnownProperty extends Property {
  /** The name in the body: `"name":`. */
  readonly label: string
  readonly isKey: boolean
  readonly isTitle: boolean
  readonly isRequired: boolean
  /** Checks the JSON of an array, a struct or a shape; undefined without constraints. */
  readonly checkJson: ((json: unknown) => Violation | undefined) | undefined
  /** Undefined for arrays, structs and shapes, which can have many values. */
  readonly scalar: KnownScalar | undefined
  /** Checks an array, a struct or a shape. */
  readonly readSteps: (value: unknown) => Steps<ReadValue>
}

function knownProperties(
  { properties, primaryKey, titleProperty }: ObjectType,
  { isPart = false }: ReadOptions,
): KnownProperty[] {
  return Array.from(properties.values(), (property) => {
    const { apiName, type, rules } = property
    const constraints = rules?.constraints ?? []
    const isScalar = type.kind === 'scalar' && type.type !== 'geoshape'
    return {
      ...property,
      label: `"${apiName}":`,
      isKey: apiName === primaryKey.apiName,
      isTitle: apiName === titleProperty,
      isRequired: rules?.isRequired === true && !isPart,
      scalar: isScalar ? knownScalar(type.type, constraints) : undefined,
      checkJson:
        isScalar || constraints.length === 0 ? undefined : constraintChecker(type, constraints),
      readSteps: valueSteps(type),
    }
  })
}

function knownScalar(type: ScalarType, constraints: readonly Constraint[]): KnownScalar {
  return { type, codec: scalarCodec(type), check: scalarChecker(type, constraints) }
}

function defaultValue(
  definition: DefaultDefinition,
  type: PropertyType,
  { userId, nowMs, newUuid }: Creation,
): unknown {
  switch (definition.type) {
    case 'staticValue':
      return definition.value
    case 'currentTime': {
      const isDate = type.kind === 'scalar' && type.type === 'date'
      return new Date(nowMs).toISOString().slice(0, isDate ? 10 : undefined)
    }
    case 'currentUser':
      return userId
    case 'uniqueIdentifier':
      return newUuid()
  }
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
