import type { ObjectType } from '../../ontology/ontology.ts'
import {
  NOTHING_SENT,
  type ObjectSink,
  type OutgoingObject,
  type Rejection,
  toRejection,
} from '../import/batch-sender.ts'
import type { ChangeJournal } from './change-journal.ts'
import { bodyWriter, type ObjectBody, RefusedProperty } from './object-body.ts'
import type { ReadStored } from './stored-objects.ts'

/** Records in a journal what rows change, by the objects that the service has when they are sent. */
export class ChangeRecorder {
  readonly #journal: ChangeJournal
  readonly #readStored: ReadStored
  readonly #writeBody: ReturnType<typeof bodyWriter>
  readonly #mode: 'upsert' | 'append'

  constructor(
    objectType: ObjectType,
    options: {
      readonly journal: ChangeJournal
      readonly readStored: ReadStored
      readonly mode: 'upsert' | 'append'
    },
  ) {
    this.#writeBody = bodyWriter(objectType)
    this.#journal = options.journal
    this.#readStored = options.readStored
    this.#mode = options.mode
  }

  /** Rows with values that the service rejects are not recorded. */
  async record(
    objects: readonly OutgoingObject[],
    onRejected: (rejection: Rejection) => void = () => {},
  ): Promise<void> {
    const valid = objects.flatMap((object) => {
      try {
        const properties = JSON.parse(object.json) as Readonly<Record<string, unknown>>
        return [{ key: object.key, body: this.#writeBody(properties) }]
      } catch (error) {
        if (!(error instanceof RefusedProperty)) throw error
        const { property, path, reason } = error
        onRejected(toRejection({ property: property + path, reason }, object))
        return []
      }
    })
    const stored = await this.#readStored([...new Set(valid.map(({ key }) => key))])
    const created = new Set<string>()
    for (const { key, body } of valid) {
      const before = stored.get(key)
      // In append mode, the first row of a key stays, and so does an object that exists.
      if (this.#mode === 'append') this.#append(key, before, body, created)
      else this.#journal.add(key, before, body)
    }
  }

  #append(key: string, before: ObjectBody | undefined, body: ObjectBody, created: Set<string>) {
    if (before !== undefined) this.#journal.add(key, before, before)
    else if (!created.has(key) && !this.#journal.has(key)) this.#journal.add(key, before, body)
    created.add(key)
  }
}

/** A destination that compares objects with those of the service, and writes nothing. */
export function comparison(
  recorder: ChangeRecorder,
  onRejected: (rejection: Rejection) => void,
): ObjectSink {
  const sent = { ...NOTHING_SENT }
  let batch: OutgoingObject[] = []
  const send = async () => {
    const objects = batch
    batch = []
    await recorder.record(objects, onRejected)
    sent.objects += objects.length
  }
  return {
    sent,
    get isFull() {
      return batch.length >= BATCH_OBJECTS
    },
    add: (object) => void batch.push(object),
    send,
    finish: send,
    settle: async () => {},
  }
}

const BATCH_OBJECTS = 1000
