/**
 * Sends objects in batches. Up to three batches are pending: the service writes one and reads
 * another, and the third keeps it from waiting when one of these takes longer than the other. Batches
 * with a common object are sent in sequence, so that its last row wins.
 */
import type {
  Administration,
  BatchOptions,
  BatchResult,
} from '../../client/endpoints/administration.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { OqsError } from '../../client/oqs-error.ts'
import type { Remedy } from '../../formats/remedy.ts'
import { excerptOf } from '../../formats/row.ts'

/** An object to send, and the row it comes from. */
export interface OutgoingObject {
  readonly json: string
  readonly key: string
  readonly file: string
  readonly line: number
}

/** A row that was not written, and the reason. */
export interface Rejection {
  readonly file: string
  readonly line: number
  readonly property?: string | undefined
  /** The column of the property, if it is known. */
  readonly column?: string | undefined
  /** The beginning of the invalid value. */
  readonly excerpt: string
  readonly reason: string
  readonly remedy?: Remedy | undefined
  /** The row as JSON, if it could be read. */
  readonly row?: string | undefined
}

export interface SentCounts {
  batches: number
  objects: number
  put: number
  kept: number
  /** The newest version that a response named. */
  version: number
  /** How many objects are settled, counted from the first: written now or before, or rejected. */
  settled: number
}

/** A destination of objects: the service, or a local check. */
export interface ObjectSink {
  readonly sent: Readonly<SentCounts>
  /** Whether the batch should be sent before more objects are added. */
  readonly isFull: boolean
  add(object: OutgoingObject): void
  /** Sends the current batch; resolves as soon as more objects can be added. */
  send(): Promise<void>
  /** Sends the rest and waits until everything is written. */
  finish(): Promise<void>
  /** Drops the current batch and waits for the pending ones, whether they succeed or fail. */
  settle(): Promise<void>
}

export const NOTHING_SENT: SentCounts = {
  batches: 0,
  objects: 0,
  put: 0,
  kept: 0,
  version: 0,
  settled: 0,
}

const BATCH_OBJECTS = 5000
const BATCH_CHARACTERS = 4 * 1024 * 1024
const MAX_PENDING_BATCHES = 3
/** Changes of the definition during one batch after which the import gives up. */
const MAX_DEFINITION_CHANGES = 5

export interface SenderOptions extends BatchOptions {
  /** How many of the first objects are not sent, because an earlier run has sent them. */
  readonly skip?: number
  /** Called before the first of several batches; returns the replacement to add them to, if any. */
  readonly startLoad: () => Promise<string | undefined>
  /** Called with the objects of each batch before it is sent, and awaited. */
  readonly beforeBatch?: ((objects: readonly OutgoingObject[]) => Promise<void>) | undefined
}

interface PendingBatch {
  readonly keys: BatchKeys
  readonly done: Promise<void>
}

interface OrderedBatch {
  readonly objects: number
  isDone: boolean
}

export class BatchSender implements ObjectSink {
  readonly sent: SentCounts
  readonly #administration: Administration
  readonly #type: TypePath
  readonly #startLoad: SenderOptions['startLoad']
  readonly #beforeBatch: SenderOptions['beforeBatch']
  #options: BatchOptions
  /** May throw to stop the import. */
  readonly #onRejected: (rejection: Rejection) => void
  #batch: OutgoingObject[] = []
  #characters = 0
  #pending: PendingBatch[] = []
  /** Batches from the first that is not written; later ones may be written before it. */
  #ordered: OrderedBatch[] = []
  #toSkip: number
  #isFirst = true

  constructor(
    administration: Administration,
    type: TypePath,
    { startLoad, beforeBatch, skip = 0, ...options }: SenderOptions,
    onRejected: (rejection: Rejection) => void,
  ) {
    this.sent = { ...NOTHING_SENT, settled: skip }
    this.#toSkip = skip
    this.#startLoad = startLoad
    this.#beforeBatch = beforeBatch
    this.#administration = administration
    this.#type = type
    this.#options = options
    this.#onRejected = onRejected
  }

  get isFull(): boolean {
    return this.#batch.length >= BATCH_OBJECTS || this.#characters >= BATCH_CHARACTERS
  }

  add(object: OutgoingObject): void {
    if (this.#toSkip > 0) {
      this.#toSkip -= 1
      return
    }
    this.#batch.push(object)
    this.#characters += object.json.length
  }

  async send(): Promise<void> {
    const batch = this.#batch
    if (batch.length === 0) return
    const isFirstOfSeveral = this.isFull && this.#isFirst
    this.#batch = []
    this.#characters = 0
    if (isFirstOfSeveral) await this.#load()
    this.#isFirst = false
    const keys = new BatchKeys(batch)
    while (this.#mustWaitFor(keys)) await this.#pending.shift()?.done
    const ordered = { objects: batch.length, isDone: false }
    this.#ordered.push(ordered)
    const done = this.#post(batch).then(() => this.#settle(ordered))
    // A failure is handled where the batch is awaited; until then it must not end the process.
    done.catch(() => {})
    this.#pending.push({ keys, done })
  }

  async finish(): Promise<void> {
    await this.send()
    while (this.#pending.length > 0) await this.#pending.shift()?.done
  }

  async settle(): Promise<void> {
    this.#batch = []
    await Promise.allSettled(this.#pending.map(({ done }) => done))
    this.#pending = []
  }

  async #load(): Promise<void> {
    const replacement = await this.#startLoad()
    if (replacement !== undefined) this.#options = { ...this.#options, replacement }
  }

  #mustWaitFor(keys: BatchKeys): boolean {
    if (this.#pending.length >= MAX_PENDING_BATCHES) return true
    return this.#pending.some((other) => !keys.isDisjointFrom(other.keys))
  }

  /** Sends a batch; repeats without the rows that the service rejects until none is left. */
  async #post(batch: readonly OutgoingObject[]): Promise<void> {
    await this.#beforeBatch?.(batch)
    let objects = batch
    let changesSeen = 0
    while (objects.length > 0) {
      const lines = objects.map(({ json }) => `{"put":${json}}\n`).join('')
      try {
        const result = await this.#administration.writeObjects(this.#type, lines, this.#options)
        this.#record(result, objects.length)
        return
      } catch (error) {
        // The definition changed meanwhile; the retry is checked against the new one.
        if (isOutOfSync(error) && changesSeen < MAX_DEFINITION_CHANGES) {
          changesSeen += 1
          continue
        }
        const rejected = rejectedLines(error)
        if (rejected === undefined) throw error
        for (const one of rejected) {
          const object = objects[one.line - 1]
          if (object === undefined) {
            throw new Error(`the service rejected line ${one.line}, which was not sent`)
          }
          this.#onRejected(toRejection(one, object))
        }
        const numbers = new Set(rejected.map(({ line }) => line))
        objects = objects.filter((_, index) => !numbers.has(index + 1))
      }
    }
  }

  #settle(batch: OrderedBatch): void {
    batch.isDone = true
    while (this.#ordered[0]?.isDone) this.sent.settled += this.#ordered.shift()?.objects ?? 0
  }

  #record({ put, kept = 0, version }: BatchResult, objects: number): void {
    this.sent.batches += 1
    this.sent.objects += objects
    this.sent.put += put
    this.sent.kept += kept
    this.sent.version = Math.max(this.sent.version, version)
  }
}

function isOutOfSync(error: unknown): boolean {
  return error instanceof OqsError && error.errorName === 'OntologyDefinitionOutOfSync'
}

interface RejectedLine {
  readonly line: number
  readonly property?: string
  readonly reason: string
}

function rejectedLines(error: unknown): readonly RejectedLine[] | undefined {
  if (!(error instanceof OqsError) || error.errorName !== 'InvalidBatchLine') return undefined
  const { refused } = error.parameters
  return Array.isArray(refused) && refused.length > 0 ? (refused as RejectedLine[]) : undefined
}

export function toRejection(
  { property, reason }: { readonly property?: string | undefined; readonly reason: string },
  { file, line, json }: OutgoingObject,
): Rejection {
  // The property may include a path into the value, such as names[3].text.
  const [, name = ''] = /^([^[]*)/.exec(property ?? '') ?? []
  const cells = JSON.parse(json) as Readonly<Record<string, unknown>>
  const value = cells[property ?? ''] ?? cells[name]
  const excerpt = value === undefined ? '' : excerptOf(value)
  return { file, line, property, excerpt, reason, row: json }
}

interface Keyed {
  readonly key: string
}

/** The keys of a batch. Sets of them are built only if their ranges overlap, unlike in a sorted file. */
export class BatchKeys {
  readonly #objects: readonly Keyed[]
  readonly #first: string
  readonly #last: string
  #set: ReadonlySet<string> | undefined

  constructor(objects: readonly Keyed[]) {
    this.#objects = objects
    let first = objects[0]?.key ?? ''
    let last = first
    for (const { key } of objects) {
      if (key > last) last = key
      else if (key < first) first = key
    }
    this.#first = first
    this.#last = last
  }

  isDisjointFrom(other: BatchKeys): boolean {
    if (this.#last < other.#first || other.#last < this.#first) return true
    return this.#all().isDisjointFrom(other.#all())
  }

  #all(): ReadonlySet<string> {
    this.#set ??= new Set(this.#objects.map(({ key }) => key))
    return this.#set
  }
}
