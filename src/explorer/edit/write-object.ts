/** Writes of one object, each on condition that nobody else changed it. */
import type { WriteResult } from '../../client/endpoints/administration.ts'
import { type Service, statusOf } from '../api/service.ts'
import type { ObjectAddress } from '../queries/object-queries.ts'
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
  { revision1 }: Service,
  address: ObjectAddress,
): Promise<TaggedObject | undefined> {
  try {
    const { record, etag } = await revision1.getTaggedObject(typePathOf(address), address.key)
    return { properties: record.properties, etag: requireTag(etag) }
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

/** An object as it was written; it has no tag if the response had none. */
interface WrittenObject {
  readonly properties: Properties
  readonly etag: string | undefined
}

/** A change that was written, with what undoes it. */
export interface WrittenChange {
  readonly address: ObjectAddress
  /** The state before; undefined if the object was created. */
  readonly before: Properties | undefined
  /** The state after; undefined if the object was deleted. */
  readonly after: WrittenObject | undefined
}

/** Changes the properties that differ. */
export async function updateObject(
  { administration }: Service,
  address: ObjectAddress,
  { properties: before, etag: ifMatch }: TaggedObject,
  properties: Properties,
): Promise<WrittenChange> {
  const patch = patchBetween(before, properties)
  const type = typePathOf(address)
  const { etag } = await administration.patchObject(type, address.key, patch, { ifMatch })
  return { address, before, after: { properties, etag } }
}

/** Creates an object; fails if there is one with this key. */
export async function createObject(
  { administration }: Service,
  address: ObjectAddress,
  properties: Properties,
): Promise<WrittenChange> {
  const type = typePathOf(address)
  const options = { ifNoneMatch: '*' }
  const { etag } = await administration.putObject(type, address.key, properties, options)
  return { address, before: undefined, after: { properties, etag } }
}

export async function deleteObject(
  service: Service,
  address: ObjectAddress,
  before: TaggedObject,
): Promise<WrittenChange> {
  await deleteTagged(service, address, before.etag)
  return { address, before: before.properties, after: undefined }
}

function deleteTagged(
  { administration }: Service,
  address: ObjectAddress,
  ifMatch: string,
): Promise<WriteResult> {
  return administration.deleteObject(typePathOf(address), address.key, { ifMatch })
}

/** Writes the state before a change back, unless the object was changed again since. */
async function undoChange(service: Service, change: WrittenChange): Promise<void> {
  const { address, before, after } = change
  if (after === undefined) await createObject(service, address, before ?? {})
  else {
    const etag = requireTag(after.etag)
    if (before === undefined) await deleteTagged(service, address, etag)
    else await updateObject(service, address, { ...after, etag }, before)
  }
}

/** Returns a change as the last one of the tab, which can be taken back. */
export function undoable(change: WrittenChange): LastChange {
  return { text: describe(change), undo: (service) => undoUnlessChanged(service, change) }
}

async function undoUnlessChanged(service: Service, change: WrittenChange): Promise<undefined> {
  try {
    await undoChange(service, change)
  } catch (error) {
    throw isConflict(error) ? new Error('Not undone: the object was changed again since.') : error
  }
}

function describe({ address, before, after }: WrittenChange): string {
  const verb = after === undefined ? 'Deleted' : before === undefined ? 'Created' : 'Saved'
  return `${verb} “${address.key}”.`
}

/** True if the object is not in the state that the write was based on. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 412
}
