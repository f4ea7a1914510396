/** Reads single objects, each as a page of at most one, so that there is only one way to read. */
import { ShownVersion } from '../../access/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { PROPERTIES_RECORD, type RecordShape } from '../../contract/object-record.ts'
import type { PrimaryKeyType } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { readComparedValue } from '../../query/compared-value.ts'
import type { Query } from '../../query/query.ts'
import type { Selection } from '../../query/selection.ts'
import type { ReadPageRequest } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'

/** Returns the canonical form of a key from a path, or undefined if no object can have it. */
export function readKey({ primaryKey }: ObjectType, text: string): string | undefined {
  try {
    return readPrimaryKey(primaryKey.type, text).text
  } catch (error) {
    if (error instanceof RefusedValue) return undefined
    throw error
  }
}

/** Returns the query that a property equals a value. */
export function propertyEquals(property: string, type: PrimaryKeyType, value: unknown): Query {
  return {
    kind: 'compare',
    field: { property, structField: undefined },
    operator: 'eq',
    value: readComparedValue(type, value),
  }
}

/** Returns the query for the object with a primary key. */
export function keyEquals({ primaryKey }: ObjectType, key: string): Query {
  return propertyEquals(primaryKey.apiName, primaryKey.type, key)
}

/** Which object to read, and in which form. */
export interface ObjectSpec {
  readonly objectType: ObjectType
  /** Matches at most one object. */
  readonly query: Query
  readonly shape: RecordShape
  readonly selection: Selection
}

/** An object as it was found. */
export interface FoundRecord {
  /** The record, as JSON text. */
  readonly json: Buffer
  /** The version of the type that was read; undefined if the caller sees only a part of the type. */
  readonly version: ShownVersion | undefined
}

/** Returns the record of the object that matches a query. */
export async function findRecord(
  { objectType, query, shape, selection }: ObjectSpec,
  context: ServiceContext,
  { objects, limits, memory }: ServiceParts,
): Promise<FoundRecord | undefined> {
  memory.refuseWhenFull(context.callerId)
  const pageRequest: ReadPageRequest = {
    objectType,
    query,
    order: [],
    record: { shape, selection },
    after: undefined,
    version: undefined,
    maxObjects: 1,
    maxBytes: limits.pageMaxBytes,
    includeTotalCount: false,
    matchEstimate: 1,
  }
  const page = await objects.readPage(pageRequest, context)
  // No version is requested, so the latest is read, which is never reclaimed.
  if (page === 'reclaimed') return undefined
  context.noteRead([objectType], page.count)
  if (page.count === 0) {
    page.release()
    return undefined
  }
  const held = memory.hold(context.callerId, page.records.length)
  context.defer(() => held.release())
  const json = Buffer.from(page.records)
  page.release()
  return { json, version: ShownVersion.read([objectType], page.version) }
}

/** Returns the record of the object with a key as written in a path, or throws `ObjectNotFound`. */
export async function getRecord(
  objectType: ObjectType,
  written: string,
  record: Pick<ObjectSpec, 'shape' | 'selection'>,
  context: ServiceContext,
  services: ServiceParts,
): Promise<FoundRecord> {
  const key = readKey(objectType, written)
  const query = key === undefined ? undefined : keyEquals(objectType, key)
  const found = query && (await findRecord({ ...record, objectType, query }, context, services))
  return found ?? fail(objectNotFound(objectType, written))
}

function fail(error: Error): never {
  throw error
}

/** Returns the properties of the object with a key, or undefined if there is none. */
export async function findProperties(
  objectType: ObjectType,
  key: string,
  selection: Selection,
  context: ServiceContext,
  services: ServiceParts,
): Promise<ReadonlyMap<string, unknown> | undefined> {
  const query = keyEquals(objectType, key)
  const found = await findRecord(
    { objectType, query, shape: PROPERTIES_RECORD, selection },
    context,
    services,
  )
  return found && new Map(Object.entries(JSON.parse(found.json.toString('utf8')) as object))
}

/** Returns the `ObjectNotFound` of revision 1.0, with the key as the client wrote it. */
export function objectNotFound(objectType: ObjectType, written: string): ObjectQueryError {
  return new ObjectQueryError('ObjectNotFound', {
    objectType: objectType.apiName,
    primaryKey: { [objectType.primaryKey.apiName]: written },
  })
}
