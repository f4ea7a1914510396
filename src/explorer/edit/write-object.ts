/** Writes of one object, each on condition that nobody else changed it. */
import type { FlatRecord } from '../../client/endpoints/pages.ts'
import { readRecord } from '../api/ontology.ts'
import { type Service, statusOf } from '../api/service.ts'
import { latestRequest, type ObjectAddress } from '../queries/object-queries.ts'
import type { LastChange } from '../session/use-writes.ts'
import { typePathOf } from '../view/type-view.ts'
import { type Properties, patchBetween } from './object-draft.ts'

/** An object with the entity tag that a write must match. */
export interface TaggedObject {
  readonly properties: Properties
  readonly etag: string
}

/** Reads the object as it is now; undefined if there is none. */
export async function readObject(
  { connection }: Service,
  address: ObjectAddress,
): Promise<TaggedObject | undefined> {
  try {
    const { body, headers } = await connection.exchange<FlatRecord>(latestRequest(address))
    const { properties } = readRecord(body)
    return { properties, etag: requireTag(headers.get('etag') ?? undefined) }
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw error
  }
}

/** A proxy may drop the tag. Without it, a write would overwrite the changes of others. */
function requireTag(etag: string | undefined): string {
  if (etag === undefined) throw new Error('The service sent no entity tag, so nothing is written.')
  return etag
}

/** A change that was written, with what undoes it. */
export interface WrittenChange {
  readonly address: ObjectAddress
  /** The state before; undefined if the object was created. */
  readonly before: Properties | undefined
  /** The state after; undefined if it was deleted. It has no tag if the response had none. */
  readonly after: { readonly properties: Properties; readonly etag: string | undefined } | undefined
}

/**
 * Brings an object from one state to another, of which each can be that there is no object. Fails if
 * it is not in the first one.
 */
export async function writeObject(
  { administration }: Service,
  address: ObjectAddress,
  base: TaggedObject | undefined,
  properties: Properties | undefined,
): Promise<WrittenChange> {
  const type = typePathOf(address)
  const { key } = address
  const before = base?.properties
  if (properties === undefined) {
    await administration.deleteObject(type, key, { ifMatch: base?.etag })
    return { address, before, after: undefined }
  }
  const { etag } =
    base === undefined
      ? await administration.putObject(type, key, properties, { ifNoneMatch: '*' })
      : await administration.patchObject(type, key, patchBetween(base.properties, properties), {
          ifMatch: base.etag,
        })
  return { address, before, after: { properties, etag } }
}

/** Returns a change as the last one of the tab, which can be taken back unless it was changed again. */
export function undoable({ address, before, after }: WrittenChange): LastChange {
  const verb = after === undefined ? 'Deleted' : before === undefined ? 'Created' : 'Saved'
  return {
    text: `${verb} “${address.key}”.`,
    undo: async (service) => {
      const base = after && { ...after, etag: requireTag(after.etag) }
      await writeObject(service, address, base, before).catch((error: unknown) => {
        throw isConflict(error)
          ? new Error('Not undone: the object was changed again since.')
          : error
      })
      return undefined
    },
  }
}

/** True if the object is not in the state that the write was based on. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 412
}
