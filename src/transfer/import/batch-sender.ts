import type { QueryParameters } from '../../client/connection.ts'
import type { BatchResult, ServiceClient, TypePath } from '../../client/service-client.ts'
import { ServiceError } from '../../client/service-error.ts'
import { excerptOf } from '../../formats/row.ts'

/**
 * Sends objects in batches. Two batches are under way at a time, so that the service reads one
 * while it writes the other; batches that hold the same object follow each other, so that the last
 * row of an object counts.
 */

/** An object on its way, and the row it was made from. */
export interface OutgoingObject {
  readonly json: string
  readonly key: string
  readonly file: string
  readonly line: number
}

/** A row that is not written, and why. */
export interface Refusal {
  readonly file: string
  readonly line: number
  readonly property?: string | undefined
  /** The beginning of the value that does not fit. */
  readonly excerpt: string
  readonly reason: string
  /** The row as JSON, as far as it could be read. */
  readonly row?: string | undefined
}

export interface Sent {
  batches: number
  objects: number
  put: number
  kept: number
  /** The newest version that an answer named. */
  version: number
}

/** Where objects go. */
export interface ObjectSink {
  readonly sent: Readonly<Sent>
  /** Whether a batch has come together and should be sent before more is added. */
  readonly isFull: boolean
  add(object: OutgoingObject): void
  /** Sends what has come together; resolves as soon as more can be added. */
  send(): Promise<void>
  /** Sends the rest and waits until all is written. */
  finish(): Promise<void>
  /** Waits for what is under way, whatever becomes of it, and sends nothing more. */
  settle(): Promise<void>
}

const BATCH_OBJECTS = 5000
const BATCH_CHARACTERS = 4 * 1024 * 1024
const BATCHES_UNDER_WAY = 2
/** A definition that changes more often than this during one batch is somebody's mistake. */
const DEFINITION_CHANGES = 5

interface UnderWay {
  readonly keys: ReadonlySet<string>
  readonly done: Promise<void>
}

export class BatchSender implements ObjectSink {
  readonly sent: Sent = { batches: 0, objects: 0, put: 0, kept: 0, version: 0 }
  readonly #client: ServiceClient
  readonly #type: TypePath
  readonly #query: QueryParameters
  /** May throw, to end it all. */
  readonly #onRefused: (refusal: Refusal) => void
  #batch: OutgoingObject[] = []
  #characters = 0
  #underWay: UnderWay[] = []

  constructor(
    client: ServiceClient,
    type: TypePath,
    query: QueryParameters,
    onRefused: (refusal: Refusal) => void,
  ) {
    this.#client = client
    this.#type = type
    this.#query = query
    this.#onRefused = onRefused
  }

  get isFull(): boolean {
    return this.#batch.length >= BATCH_OBJECTS || this.#characters >= BATCH_CHARACTERS
  }

  add(object: OutgoingObject): void {
    this.#batch.push(object)
    this.#characters += object.json.length
  }

  async send(): Promise<void> {
    const batch = this.#batch
    if (batch.length === 0) return
    this.#batch = []
    this.#characters = 0
    const keys = new Set(batch.map(({ key }) => key))
    while (this.#mustWaitFor(keys)) await this.#underWay.shift()?.done
    const done = this.#post(batch)
    // Whoever waits for it learns of a failure; it must not end the process before that.
    done.catch(() => {})
    this.#underWay.push({ keys, done })
  }

  async finish(): Promise<void> {
    await this.send()
    while (this.#underWay.length > 0) await this.#underWay.shift()?.done
  }

  async settle(): Promise<void> {
    this.#batch = []
    await Promise.allSettled(this.#underWay.map(({ done }) => done))
    this.#underWay = []
  }

  #mustWaitFor(keys: ReadonlySet<string>): boolean {
    if (this.#underWay.length >= BATCHES_UNDER_WAY) return true
    return this.#underWay.some((other) => !keys.isDisjointFrom(other.keys))
  }

  /** Sends a batch; without the rows that the service refuses, as often as it refuses some. */
  async #post(batch: readonly OutgoingObject[]): Promise<void> {
    let objects = batch
    let changesSeen = 0
    while (objects.length > 0) {
      const lines = objects.map(({ json }) => `{"put":${json}}\n`).join('')
      try {
        const result = await this.#client.postBatch(this.#type, lines, {
          // Putting the same objects twice is the same as once.
          repeatable: true,
          query: this.#query,
        })
        this.#note(result, objects.length)
        return
      } catch (error) {
        // The definition changed while the batch was read: the next try is checked by the new one.
        if (isOutOfSync(error) && changesSeen < DEFINITION_CHANGES) {
          changesSeen += 1
          continue
        }
        const refused = refusedLines(error)
        if (refused === undefined) throw error
        for (const one of refused) {
          const object = objects[one.line - 1]
          if (object === undefined) throw new Error('a line was refused that was never sent')
          this.#onRefused(toRefusal(one, object))
        }
        const numbers = new Set(refused.map(({ line }) => line))
        objects = objects.filter((_, index) => !numbers.has(index + 1))
      }
    }
  }

  #note({ put, kept = 0, version }: BatchResult, objects: number): void {
    this.sent.batches += 1
    this.sent.objects += objects
    this.sent.put += put
    this.sent.kept += kept
    this.sent.version = Math.max(this.sent.version, version)
  }
}

function isOutOfSync(error: unknown): boolean {
  return error instanceof ServiceError && error.errorName === 'OntologyDefinitionOutOfSync'
}

interface RefusedLine {
  readonly line: number
  readonly property?: string
  readonly reason: string
}

function refusedLines(error: unknown): readonly RefusedLine[] | undefined {
  if (!(error instanceof ServiceError) || error.errorName !== 'InvalidBatchLine') return undefined
  const { refused } = error.parameters
  return Array.isArray(refused) && refused.length > 0 ? (refused as RefusedLine[]) : undefined
}

export function toRefusal(
  { property, reason }: { readonly property?: string | undefined; readonly reason: string },
  { file, line, json }: OutgoingObject,
): Refusal {
  // The place inside the value stands behind the name: names[3].text
  const [, name = ''] = /^([^[]*)/.exec(property ?? '') ?? []
  const cells = JSON.parse(json) as Readonly<Record<string, unknown>>
  const value = cells[property ?? ''] ?? cells[name]
  const excerpt = value === undefined ? '' : excerptOf(value)
  return { file, line, property, excerpt, reason, row: json }
}
