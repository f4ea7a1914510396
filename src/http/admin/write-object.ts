/** Writes of one object: what `PUT`, `PATCH` and `DELETE` have in common. */
import type { Static } from 'typebox'
import { resolveWrittenPath, type Viewer } from '../../access/resolve.ts'
import { nextTurn } from '../../admission/next-turn.ts'
import { invalidArgument } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { finishInTurns } from '../../ontology/steps.ts'
import type { PrimaryKey } from '../../ontology/values/primary-key.ts'
import {
  objectSteps,
  RefusedObject,
  readObjectKey,
  type StoredObject,
} from '../../ontology/values/read-object.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import { objectNotFound } from '../../service/pages/find-object.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import type { Change, Commit, CurrentObject } from '../../store/object-store.ts'
import { type KeyedRequest, readIdempotencyKey } from '../request/idempotency-key.ts'
import {
  objectTag,
  objectTags,
  readPreconditions,
  requirePreconditions,
} from '../request/preconditions.ts'
import type { ObjectPath } from '../schemas/paths.ts'
import type { Services } from '../services.ts'

export interface ObjectRequest extends Viewer, KeyedRequest {
  readonly params: Static<typeof ObjectPath>
  readonly context: ServiceContext
}

/** Computes what a write does to the object with the key of the path. */
export type DecideChange = (
  current: CurrentObject | undefined,
  target: { readonly objectType: ObjectType; readonly pk: string },
) => Change | Promise<Change>

export interface WrittenObject {
  readonly commit: Commit
  /** Whether the object did not exist before. */
  readonly isCreated: boolean
  /** The entity tag of the object in revision 1.0; undefined if it was deleted. */
  readonly etag: string | undefined
}

/**
 * Writes one object as one commit. The conditions of the request are checked, and the change is
 * computed, against the object that the commit replaces.
 */
export async function writeObject(
  request: ObjectRequest,
  services: Services,
  decide: DecideChange,
): Promise<WrittenObject> {
  const { params, headers, context, catalogue } = request
  const { objectType } = resolveWrittenPath(request, params)
  const { pk } = readPathKey(objectType, request)
  const preconditions = readPreconditions(headers)
  const target = { objectType: objectType.apiName, primaryKey: params.primaryKey }
  const edit = {
    objectType,
    basedOn: catalogue.generation,
    idempotencyKey: readIdempotencyKey(request, services),
    keys: [pk],
    decide: async (objects: ReadonlyMap<string, CurrentObject>) => {
      const current = objects.get(pk)
      requirePreconditions(
        preconditions,
        current && (() => objectTags(objectType, current)),
        target,
      )
      const change = await decide(current, { objectType, pk })
      const etag = 'put' in change ? objectTag(objectType, change.put) : undefined
      return { changes: [change], note: JSON.stringify({ isCreated: current === undefined, etag }) }
    },
  }
  const commit = await services.store.edit(edit, context)
  return { commit, ...(JSON.parse(commit.note ?? '{}') as Omit<WrittenObject, 'commit'>) }
}

/** Returns the key of the path. No object can have an invalid key, so only `PUT` reports it as such. */
function readPathKey(objectType: ObjectType, { params, method }: ObjectRequest): PrimaryKey {
  try {
    return readObjectKey(objectType, params.primaryKey)
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    if (method !== 'PUT') throw objectNotFound(objectType, params.primaryKey)
    throw invalidArgument('primaryKey', error.reason)
  }
}

/** Checks and serialises the properties of the object with a key. */
export async function readProperties(
  properties: unknown,
  objectType: ObjectType,
  pk: string,
): Promise<StoredObject> {
  const object = await readInTurns(objectType, properties)
  if (object.pk === pk) return object
  throw unprocessable(objectType.primaryKey.apiName, 'differs from the primary key in the path')
}

async function readInTurns(objectType: ObjectType, properties: unknown): Promise<StoredObject> {
  try {
    return await finishInTurns(objectSteps(objectType)(properties), nextTurn)
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    throw unprocessable(error.property ?? 'body', error.reason)
  }
}
