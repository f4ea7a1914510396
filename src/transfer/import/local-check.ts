import type { ObjectType } from '../../ontology/ontology.ts'
import { objectReader, RefusedObject } from '../../ontology/values/read-object.ts'
import { type ObjectSink, type OutgoingObject, type Refusal, toRefusal } from './batch-sender.ts'

/** Checks objects of a type that no service knows yet, as a service would. */
export function localCheck(
  objectType: ObjectType,
  onRefused: (refusal: Refusal) => void,
): ObjectSink {
  const readObject = objectReader(objectType)
  const sent = { batches: 0, objects: 0, put: 0, kept: 0, version: 0 }
  return {
    sent,
    isFull: false,
    add(object: OutgoingObject) {
      try {
        readObject(JSON.parse(object.json))
        sent.objects += 1
      } catch (error) {
        if (!(error instanceof RefusedObject)) throw error
        onRefused(toRefusal(error, object))
      }
    },
    send: async () => {},
    finish: async () => {},
    settle: async () => {},
  }
}
