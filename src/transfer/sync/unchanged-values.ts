/**
 * Reads values that the source did not send. An update leaves out large values that it did not change
 * (TOAST), unless the replica identity is full; the service has them.
 */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import type { PendingPut, TypeChanges } from './source-transaction.ts'
import { keyText } from './table-mapping.ts'

type Properties = Readonly<Record<string, unknown>>

/** Objects that one request reads. */
const READ_OBJECTS = 500

/** Returns the complete objects of a transaction, undefined for deleted ones, by key. */
export async function readUnchanged(
  endpoints: Endpoints,
  type: TypePath,
  { mapping, objects }: TypeChanges,
  onNote: (text: string) => void,
): Promise<ReadonlyMap<string, Properties | undefined>> {
  const puts = [...objects.values()].flatMap(({ put }) => put ?? [])
  const incomplete = puts.filter(({ unchanged }) => unchanged.length > 0)
  const stored = new Map<string, Properties>()
  for (let at = 0; at < incomplete.length; at += READ_OBJECTS) {
    const keys = incomplete.slice(at, at + READ_OBJECTS).map(({ previous }) => previous.value)
    for await (const object of readObjects(endpoints, type, mapping.primaryKey, keys)) {
      stored.set(keyText(object[mapping.primaryKey]), object)
    }
  }
  const complete = (put: PendingPut): Properties => {
    if (put.unchanged.length === 0) return put.properties
    const known = stored.get(put.previous.text)
    if (known === undefined) {
      const names = put.unchanged.join(', ')
      onNote(`${type.objectType} ${put.previous.text} was deleted by others: ${names} is missing`)
      return put.properties
    }
    const kept = put.unchanged.filter((name) => Object.hasOwn(known, name))
    return { ...put.properties, ...Object.fromEntries(kept.map((name) => [name, known[name]])) }
  }
  return new Map([...objects].map(([text, { put }]) => [text, put && complete(put)]))
}

async function* readObjects(
  { objectSets }: Endpoints,
  type: TypePath,
  primaryKey: string,
  keys: readonly unknown[],
): AsyncGenerator<Properties> {
  const where = { type: 'in', field: primaryKey, value: keys }
  let pageToken: string | undefined
  do {
    const request = { where, select: [], selectV2: [], pageToken }
    const page = await objectSets.searchObjects(type, request)
    yield* page.data
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
}
