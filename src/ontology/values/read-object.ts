import { OBJECT_MAX_BYTES, OBJECT_MAX_VALUES } from '../../contract/limits.ts'
import { objectId } from '../definition/rid.ts'
import type { ObjectType } from '../ontology.ts'
import { type PrimaryKey, readPrimaryKey } from './primary-key.ts'
import { type ValueReader, valueReader } from './read-value.ts'
import { isJsonObject, RefusedValue } from './refused-value.ts'
import { type SearchableValues, searchableValues } from './searchable-values.ts'
import { finish, isShort, mapInSteps, type Steps } from './steps.ts'

/**
 * Turns the properties that a client sends into what a store keeps. The JSON text is made here,
 * once, at write time; every page copies it without looking inside.
 */

/** An object, ready to be stored. All texts but `pk` and `objectId` are JSON. */
export interface StoredObject {
  readonly pk: string
  readonly objectId: string
  /** The primary key as a JSON string. */
  readonly key: string
  /** The title as a JSON string. */
  readonly title: string | null
  /** The properties as a JSON object, nulls left out, in the order of the type. */
  readonly body: string
  /** What queries find the object by. */
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

/** Compiles a type into the function that checks and serialises its objects. */
export function objectReader(type: ObjectType): ObjectReader {
  const readSteps = objectSteps(type)
  return (properties) => finish(readSteps(properties))
}

/** The same, in steps: an object of many values takes long. */
export function objectSteps(type: ObjectType): (properties: unknown) => Steps<StoredObject> {
  const readers = new Map<string, ValueReader>()
  for (const property of type.properties.values()) {
    readers.set(property.apiName, valueReader(property.type))
  }
  const { apiName: keyName, type: keyType } = type.primaryKey

  return function* (properties) {
    if (!isJsonObject(properties)) throw new RefusedObject('the properties are not a JSON object')
    for (const name of Object.keys(properties)) {
      if (!readers.has(name)) throw new RefusedObject('is not a property of the type', name)
    }
    refuseManyValues(type, properties)
    const jsonOf = new Map<string, string>()
    let title: string | null = null
    for (const [name, read] of readers) {
      const value = Object.hasOwn(properties, name) ? properties[name] : null
      if (value === null) continue
      const json =
        Array.isArray(value) && !isShort(value)
          ? yield* readItems(type, name, value)
          : at(name, () => read(value))
      if (name === type.titleProperty) title = json.startsWith('"') ? json : `"${json}"`
      jsonOf.set(name, json)
    }
    const key = at(keyName, () => readKey(Object.hasOwn(properties, keyName), properties[keyName]))
    const body = `{${[...jsonOf].map(([name, json]) => `"${name}":${json}`).join(',')}}`
    if (Buffer.byteLength(body) > OBJECT_MAX_BYTES) {
      throw new RefusedObject(`the object is larger than ${OBJECT_MAX_BYTES} bytes`)
    }
    return {
      pk: key.pk,
      objectId: objectId(type.rid, key.pk),
      key: JSON.stringify(key.text),
      title,
      body,
      searchable: yield* searchableValues(type, jsonOf),
    }
  }

  function readKey(present: boolean, value: unknown): PrimaryKey {
    if (!present || value === null) throw new RefusedValue('is the primary key and is missing')
    return readPrimaryKey(keyType, value)
  }
}

/** What the reader of an array does, in steps. */
function* readItems(
  { properties }: ObjectType,
  name: string,
  values: readonly unknown[],
): Steps<string> {
  const type = properties.get(name)?.type
  // What is no array is refused by its own reader.
  if (type === undefined) throw new Error(`no property ${name}`)
  if (type.kind !== 'array') return at(name, () => valueReader(type)(values))
  const readItem = valueReader(type.items)
  let index = 0
  try {
    const texts = yield* mapInSteps(values, (item) => {
      const text = readItem(item)
      index += 1
      return text
    })
    return `[${texts.join(',')}]`
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error
    throw new RefusedObject(error.reason, `${name}[${index}]${error.place}`)
  }
}

/** Counted before anything is read, which costs far more than counting. */
function refuseManyValues(type: ObjectType, properties: Readonly<Record<string, unknown>>): void {
  let count = 0
  for (const [name, value] of Object.entries(properties)) {
    if (!Array.isArray(value)) continue
    const property = type.properties.get(name)?.type
    const ofStructs = property?.kind === 'array' && property.items.kind === 'struct'
    count += ofStructs ? countFields(value) : value.length
  }
  if (count <= OBJECT_MAX_VALUES) return
  throw new RefusedObject(`the object has more than ${OBJECT_MAX_VALUES} values in arrays`)
}

function countFields(structs: readonly unknown[]): number {
  let count = 0
  for (const struct of structs) {
    count += isJsonObject(struct) ? Object.keys(struct).length : 1
    if (count > OBJECT_MAX_VALUES) break
  }
  return count
}

/** Reads the key of a deletion. */
export function readObjectKey(type: ObjectType, value: unknown): PrimaryKey {
  return at(type.primaryKey.apiName, () => readPrimaryKey(type.primaryKey.type, value))
}

function at<T>(property: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error
    throw new RefusedObject(error.reason, property + error.place)
  }
}
