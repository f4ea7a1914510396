import type { ObjectType } from '../../ontology/ontology.ts'
import { mergeProperties } from '../../ontology/values/merge-properties.ts'
import type { OutgoingObject, Rejection } from '../import/batch.ts'
import { NOTHING_SENT, type ObjectSink, toRejection } from '../import/batch-sender.ts'
import type { ChangeJournal } from './change-journal.ts'
import { bodyWriter, RefusedProperty } from './object-body.ts'
import type { ReadStored } from './stored-objects.ts'

type Properties = Readonly<Record<string, unknown>>

/**
 * Records in a journal what rows change, by the objects that the service has when they are sent. Rows
 * with values that the service rejects are not recorded.
 */
export type RecordChanges = (
  objects: readonly OutgoingObject[],
  onRejected?: (rejection: Rejection) => void,
) => Promise<void>

export function changeRecorder(
  objectType: ObjectType,
  {
    journal,
    readStored,
    mode,
  }: {
    readonly journal: ChangeJournal
    readonly readStored: ReadStored
    readonly mode: 'upsert' | 'append' | 'merge'
  },
): RecordChanges {
  const writeBody = bodyWriter(objectType)
  return async (objects, onRejected = () => {}) => {
    const valid = objects.flatMap((object) => {
      try {
        const properties = JSON.parse(object.json) as Properties
        return [{ key: object.key, properties, body: writeBody(properties) }]
      } catch (error) {
        if (!(error instanceof RefusedProperty)) throw error
        const { property, path, reason } = error
        onRejected(toRejection({ property: property + path, reason }, object))
        return []
      }
    })
    const stored = await readStored([...new Set(valid.map(({ key }) => key))])
    const created = new Set<string>()
    const merged = new Map<string, Properties>()
    for (const { key, properties, body } of valid) {
      const before = stored.get(key)
      // In append mode, the first row of a key stays, and so does an object that exists.
      if (mode === 'merge') {
        const earlier = merged.get(key) ?? (JSON.parse(before ?? '{}') as Properties)
        const after = mergeProperties(objectType, earlier, properties)
        merged.set(key, after)
        journal.add(key, before, writeBody(after))
      } else if (mode === 'upsert') journal.add(key, before, body)
      else if (before !== undefined) journal.add(key, before, before)
      else if (!created.has(key) && !journal.has(key)) journal.add(key, before, body)
      created.add(key)
    }
  }
}

const BATCH_OBJECTS = 1000

/** A destination that compares objects with those of the service, and writes nothing. */
export function comparison(
  record: RecordChanges,
  onRejected: (rejection: Rejection) => void,
): ObjectSink {
  const sent = { ...NOTHING_SENT }
  let batch: OutgoingObject[] = []
  const send = async () => {
    const objects = batch
    batch = []
    await record(objects, onRejected)
    sent.objects += objects.length
  }
  return {
    sent,
    get isFull() {
      return batch.length >= BATCH_OBJECTS
    },
    add: (json, key, file, line) => void batch.push({ json, key, file, line }),
    send,
    finish: send,
    settle: async () => {},
  }
}
