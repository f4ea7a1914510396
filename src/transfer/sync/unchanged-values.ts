/**
 * Completes objects whose values the source did not send. An update leaves out large values that it
 * did not change (TOAST), unless the replica identity is full. They are in an earlier transaction that
 * waits too, or the service has them.
 */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { excerptOf } from '../../formats/row.ts'
import type { PendingPut, TypeChanges } from './source-transaction.ts'
import { keyText } from './table-mapping.ts'

export type Properties = Readonly<Record<string, unknown>>
/** Objects by key; undefined for deleted ones. */
export type CompleteObjects = ReadonlyMap<string, Properties | undefined>

/** Objects that one request reads. */
const READ_OBJECTS = 500

/** Returns the objects of transactions, in the order of their types. */
export async function completeObjects(
  endpoints: Endpoints,
  ontology: string,
  transactions: readonly (readonly TypeChanges[])[],
  onNote: (text: string) => void,
): Promise<readonly (readonly CompleteObjects[])[]> {
  const states = await readStates(endpoints, ontology, transactions.flat())
  return transactions.map((types) =>
    types.map(({ mapping, isTruncated, objects }) => {
      const { objectType } = mapping
      const state = states.get(objectType)
      const completed = Array.from(objects, ([text, { put }]) => {
        const onMissing = (names: string) =>
          onNote(
            `${objectType} ${excerptOf(text)}: the source did not send ${names}, and the service did not have it; --restart copies it`,
          )
        return [text, put && complete(put, state, onMissing)] as const
      })
      if (isTruncated) state?.clear()
      for (const [text, object] of completed) state?.set(text, object)
      return new Map(completed)
    }),
  )
}

type State = Map<string, Properties | undefined>

/** Returns the stored objects that have missing values, by type. */
async function readStates(
  endpoints: Endpoints,
  ontology: string,
  changes: readonly TypeChanges[],
): Promise<ReadonlyMap<string, State>> {
  const states = new Map<string, State>()
  for (const [objectType, ofType] of Map.groupBy(changes, ({ mapping }) => mapping.objectType)) {
    const known = new Set<string>()
    const missing = new Map<string, unknown>()
    for (const { objects } of ofType) {
      for (const { put } of objects.values()) {
        if (put?.previous === undefined || put.unchanged.length === 0) continue
        if (!known.has(put.previous.text)) missing.set(put.previous.text, put.previous.value)
      }
      for (const text of objects.keys()) known.add(text)
    }
    const incomplete = ofType.some(({ objects }) =>
      objects.values().some(({ put }) => put !== undefined && put.unchanged.length > 0),
    )
    if (!incomplete) continue
    const primaryKey = ofType[0]?.mapping.primaryKey ?? ''
    const state: State = new Map()
    for await (const object of readObjects(endpoints, { ontology, objectType }, primaryKey, [
      ...missing.values(),
    ])) {
      state.set(keyText(object[primaryKey]), object)
    }
    states.set(objectType, state)
  }
  return states
}

function complete(
  { properties, unchanged, previous }: PendingPut,
  state: State | undefined,
  onMissing: (names: string) => void,
): Properties {
  if (unchanged.length === 0) return properties
  const known = previous && state?.get(previous.text)
  if (known === undefined) {
    onMissing(unchanged.join(', '))
    return properties
  }
  const kept = unchanged.filter((name) => Object.hasOwn(known, name))
  return { ...properties, ...Object.fromEntries(kept.map((name) => [name, known[name]])) }
}

async function* readObjects(
  { objectSets }: Endpoints,
  type: TypePath,
  primaryKey: string,
  keys: readonly unknown[],
): AsyncGenerator<Properties> {
  for (let at = 0; at < keys.length; at += READ_OBJECTS) {
    const where = { type: 'in', field: primaryKey, value: keys.slice(at, at + READ_OBJECTS) }
    let pageToken: string | undefined
    do {
      const request = { where, select: [], selectV2: [], pageToken }
      const page = await objectSets.searchObjects(type, request)
      yield* page.data
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
  }
}
