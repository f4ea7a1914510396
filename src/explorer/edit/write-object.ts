/** Writes of one object, each on condition that nobody else changed it. */
import { ApiError, type ApiRequest, type ApiResponse, parseBody, type Send } from '../api/call.ts'
import { type ObjectAddress, objectRequest } from '../data/object-queries.ts'
import type { LastChange } from '../session/use-writes.ts'
import { type Properties, patchBetween } from './object-draft.ts'

/** An object with the entity tag that a write must match. */
export interface TaggedObject {
  readonly properties: Properties
  readonly etag: string
}

/** Reads the object as it is now; undefined if there is none. */
export async function readObject(
  send: Send,
  address: ObjectAddress,
): Promise<TaggedObject | undefined> {
  try {
    const response = await send(objectRequest(address))
    const { properties } = parseBody<{ readonly properties: Properties }>(response)
    return { properties, etag: requireTag(tagOf(response)) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

function tagOf({ headers }: ApiResponse): string | undefined {
  return headers.get('etag') ?? undefined
}

/** A proxy may drop the tag. Without it, a write would overwrite the changes of others. */
function requireTag(etag: string | undefined): string {
  if (etag === undefined) throw new Error('The service sent no entity tag, so nothing is written.')
  return etag
}

function writePath({ ontology, objectType, key }: ObjectAddress): string {
  const steps = [ontology.apiName, 'objects', objectType.apiName, key].map(encodeURIComponent)
  return `/api/admin/v1/ontologies/${steps.join('/')}`
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
  send: Send,
  address: ObjectAddress,
  before: TaggedObject,
  properties: Properties,
): Promise<WrittenChange> {
  const response = await send({
    method: 'PATCH',
    path: writePath(address),
    body: patchBetween(before.properties, properties),
    headers: { 'if-match': before.etag },
  })
  return { address, before: before.properties, after: { properties, etag: tagOf(response) } }
}

/** Creates an object; fails if there is one with this key. */
export async function createObject(
  send: Send,
  address: ObjectAddress,
  properties: Properties,
): Promise<WrittenChange> {
  const response = await send({
    method: 'PUT',
    path: writePath(address),
    body: properties,
    headers: { 'if-none-match': '*' },
  })
  return { address, before: undefined, after: { properties, etag: tagOf(response) } }
}

export async function deleteObject(
  send: Send,
  address: ObjectAddress,
  before: TaggedObject,
): Promise<WrittenChange> {
  await send(deleteRequest(address, before.etag))
  return { address, before: before.properties, after: undefined }
}

function deleteRequest(address: ObjectAddress, etag: string): ApiRequest {
  return { method: 'DELETE', path: writePath(address), headers: { 'if-match': etag } }
}

/** Writes the state before a change back, unless the object was changed again since. */
async function undoChange(send: Send, change: WrittenChange): Promise<void> {
  const { address, before, after } = change
  if (after === undefined) await createObject(send, address, before ?? {})
  else {
    const etag = requireTag(after.etag)
    if (before === undefined) await send(deleteRequest(address, etag))
    else await updateObject(send, address, { ...after, etag }, before)
  }
}

/** Returns a change as the last one of the tab, which can be taken back. */
export function undoable(change: WrittenChange): LastChange {
  return { text: describe(change), undo: (send) => undoUnlessChanged(send, change) }
}

async function undoUnlessChanged(send: Send, change: WrittenChange): Promise<undefined> {
  try {
    await undoChange(send, change)
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
  return error instanceof ApiError && error.status === 412
}
