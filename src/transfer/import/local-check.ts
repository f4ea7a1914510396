import type { ObjectType } from '../../ontology/ontology.ts'
import { objectReader, RefusedObject } from '../../ontology/values/read-object.ts'
import type { Rejection } from './batch.ts'
import { NOTHING_SENT, type ObjectSink, toRejection } from './batch-sender.ts'

/** Returns a sink that checks objects like the service does, for a type that does not exist yet. */
export function localCheck(
  objectType: ObjectType,
  onRejected: (rejection: Rejection) => void,
): ObjectSink {
  // Any values do: the service makes those that are written.
  const creation = { userId: 'user', nowMs: 0, newUuid: () => crypto.randomUUID() }
  const readObject = objectReader(objectType)
  const sent = { ...NOTHING_SENT }
  return {
    sent,
    isFull: false,
    add(json, key, file, line) {
      try {
        readObject(JSON.parse(json), creation)
        sent.objects += 1
      } catch (error) {
        if (!(error instanceof RefusedObject)) throw error
        onRejected(toRejection(error, { json, key, file, line }))
      }
    },
    send: async () => {},
    finish: async () => {},
    settle: async () => {},
  }
}
