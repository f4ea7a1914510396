import { ObjectQueryError } from '../../contract/errors.ts'
import { PROPERTIES_RECORD, type RecordShape } from '../../contract/object-record.ts'
import type { PrimaryKeyType } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { readComparedValue } from '../../query/fields.ts'
import type { Query } from '../../query/query.ts'
import type { Selection } from '../../query/selection.ts'
import type { ReadPageRequest } from '../../store/object-store.ts'
import type { RequestScope } from '../request/admission.ts'
import type { Services } from '../services.ts'

/** Single objects: a page of at most one, so that they are read in the one way that there is. */

/** A key from a path as the type writes it, or nothing where no object can have it. */
export function readKey({ primaryKey }: ObjectType, text: string): string | undefined {
  try {
    return readPrimaryKey(primaryKey.type, text).text
  } catch (error) {
    if (error instanceof RefusedValue) return undefined
    throw error
  }
}

export function equals(property: string, type: PrimaryKeyType, value: unknown): Query {
  return {
    kind: 'compare',
    field: { property, structField: undefined },
    operator: 'eq',
    value: readComparedValue(type, value),
  }
}

export function hasKey({ primaryKey }: ObjectType, key: string): Query {
  return equals(primaryKey.apiName, primaryKey.type, key)
}

/** What to read of an object. */
export interface ObjectWish {
  readonly objectType: ObjectType
  /** Fulfilled by one object at most. */
  readonly query: Query
  readonly shape: RecordShape
  readonly selection: Selection
}

/** The one record of a query, as JSON text. */
export async function findRecord(
  { objectType, query, shape, selection }: ObjectWish,
  context: RequestScope,
  { store, limits, memory }: Services,
): Promise<Buffer | undefined> {
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
  const page = await store.readPage(pageRequest, context)
  // The newest version, which is the one that was asked for, is never reclaimed.
  if (page === 'reclaimed' || page.count === 0) return undefined
  const held = memory.hold(context.callerId, page.records.length)
  context.defer(() => held.release())
  const record = Buffer.from(page.records)
  page.release()
  return record
}

/** The properties of the object with a key, or nothing when there is none. */
export async function findProperties(
  objectType: ObjectType,
  key: string,
  selection: Selection,
  context: RequestScope,
  services: Services,
): Promise<ReadonlyMap<string, unknown> | undefined> {
  const query = hasKey(objectType, key)
  const json = await findRecord(
    { objectType, query, shape: PROPERTIES_RECORD, selection },
    context,
    services,
  )
  return json && new Map(Object.entries(JSON.parse(json.toString('utf8')) as object))
}

/** Of revision 1.0: the key stands there as it was written. */
export function objectNotFound(objectType: ObjectType, written: string): ObjectQueryError {
  return new ObjectQueryError('ObjectNotFound', {
    objectType: objectType.apiName,
    primaryKey: { [objectType.primaryKey.apiName]: written },
  })
}
