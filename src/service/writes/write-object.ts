/** Writes of one object, as one commit. */
import { nextTurn } from '../../admission/next-turn.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { finishInTurns } from '../../ontology/pausable-work.ts'
import { constraintViolated } from '../../ontology/values/constraint-violated.ts'
import {
  type Creation,
  objectSteps,
  RefusedObject,
  type StoredObject,
  ViolatingObject,
} from '../../ontology/values/read-object.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import type { Change, Commit, CurrentObject, Edit } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'

export interface WriteSpec extends Pick<Edit, 'objectType' | 'basedOn' | 'idempotencyKey'> {
  readonly pk: string
  /** False if the change is the same whatever the object is now. */
  readonly readsCurrent: boolean
  /**
   * Computes the change of the object that the commit replaces. Throws if the write must not happen.
   * The result has the entity tag of the object afterwards, if it exists.
   */
  readonly decide: (current: CurrentObject | undefined) => Promise<DecidedChange>
}

interface DecidedChange {
  readonly change: Change
  readonly etag: string | undefined
}

export interface WrittenObject extends WriteNote {
  readonly commit: Commit
}

interface WriteNote {
  /** Whether the object did not exist before. */
  readonly isCreated: boolean
  readonly etag: string | undefined
}

/** Writes one object. A repeated request gets the result of the first one. */
export async function writeObject(
  { pk, readsCurrent, decide, ...target }: WriteSpec,
  context: ServiceContext,
  { objects }: ServiceParts,
): Promise<WrittenObject> {
  const toNote = (note: WriteNote) => JSON.stringify(note)
  const edit = () =>
    objects.edit(
      {
        ...target,
        keys: [pk],
        decide: async (found) => {
          const current = found.get(pk)
          const { change, etag } = await decide(current)
          return { changes: [change], note: toNote({ isCreated: current === undefined, etag }) }
        },
      },
      context,
    )
  // Costs less than an edit, which waits for earlier writes of the object before it is decided.
  const put = async () => {
    const { change, etag } = await decide(undefined)
    const notes = {
      created: toNote({ isCreated: true, etag }),
      replaced: toNote({ isCreated: false, etag }),
    }
    return objects.commit({ ...target, changes: [change], notes }, context)
  }
  const commit = await (readsCurrent ? edit() : put())
  return { commit, ...(JSON.parse(commit.note ?? '{}') as WriteNote) }
}

/** Checks and serialises the properties of the object with a key. */
export async function readProperties(
  properties: unknown,
  objectType: ObjectType,
  pk: string,
  creation?: Creation,
): Promise<StoredObject> {
  const object = await readInTurns(objectType, properties, creation)
  if (object.pk === pk) return object
  throw unprocessable(objectType.primaryKey.apiName, 'differs from the primary key in the path')
}

async function readInTurns(
  objectType: ObjectType,
  properties: unknown,
  creation: Creation | undefined,
): Promise<StoredObject> {
  try {
    return await finishInTurns(objectSteps(objectType)(properties, creation), nextTurn)
  } catch (error) {
    if (error instanceof ViolatingObject) {
      throw constraintViolated(objectType.apiName, [{ object: error }])
    }
    if (!(error instanceof RefusedObject)) throw error
    throw unprocessable(error.property ?? 'body', error.reason)
  }
}
