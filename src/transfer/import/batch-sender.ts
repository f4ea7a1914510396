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
import { excerptOf, ownValue } from '../../formats/row.ts'
import { Batch, BatchKeys, type OutgoingObject, type Rejection } from './batch.ts'

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
  add(json: string, key: string, file: string, line: number): void
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

const BATCH_OBJECTS = 10_000
/** Merges read each object before they write it. */
const MERGE_OBJECTS = 1000
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

export function batchSender(
  administration: Administration,
  type: TypePath,
  { startLoad, beforeBatch, skip = 0, ...given }: SenderOptions,
  /** May throw to stop the import. */
  onRejected: (rejection: Rejection) => void,
): ObjectSink {
  const sent: SentCounts = { ...NOTHING_SENT, settled: skip }
  let options: BatchOptions = given
  let batch = new Batch()
  /** The bytes of a batch that is written. */
  let spare: Uint8Array<ArrayBuffer> | undefined
  let pending: { readonly keys: BatchKeys; readonly done: Promise<void> }[] = []
  /** Batches from the first that is not written; later ones may be written before it. */
  const ordered: { readonly objects: number; isDone: boolean }[] = []
  let toSkip = skip
  let isFirst = true
  const most = given.mode === 'merge' ? MERGE_OBJECTS : BATCH_OBJECTS
  const isFull = () => batch.size >= most || batch.characters >= BATCH_CHARACTERS

  async function send(): Promise<void> {
    const full = batch
    if (full.size === 0) return
    const isFirstOfSeveral = isFull() && isFirst
    batch = new Batch(spare)
    spare = undefined
    if (isFirstOfSeveral) {
      const replacement = await startLoad()
      if (replacement !== undefined) options = { ...options, replacement }
    }
    isFirst = false
    const keys = new BatchKeys(full.keys)
    const mustWait = () =>
      pending.length >= MAX_PENDING_BATCHES ||
      pending.some((other) => !keys.isDisjointFrom(other.keys))
    while (mustWait()) await pending.shift()?.done
    const entry = { objects: full.size, isDone: false }
    ordered.push(entry)
    const done = post(full).then(() => {
      spare = full.release()
      entry.isDone = true
      while (ordered[0]?.isDone) sent.settled += ordered.shift()?.objects ?? 0
    })
    // A failure is handled where the batch is awaited; until then it must not end the process.
    done.catch(() => {})
    pending.push({ keys, done })
  }

  async function post(all: Batch): Promise<void> {
    await beforeBatch?.(all.objects())
    await postAll(all)
  }

  /** Sends a batch; repeats without the rows that the service rejects until none is left. */
  async function postAll(all: Batch): Promise<void> {
    let rest = all
    let changesSeen = 0
    while (rest.size > 0) {
      try {
        record(await administration.writeObjects(type, rest.body, options), rest.size)
        return
      } catch (error) {
        // The definition changed meanwhile; the retry is checked against the new one.
        if (isOutOfSync(error) && changesSeen < MAX_DEFINITION_CHANGES) {
          changesSeen += 1
          continue
        }
        const objects = rest.objects()
        // The objects of the service can be much larger than the rows that are merged into them.
        if (given.mode === 'merge' && isTooLarge(error) && objects.length > 1) {
          const middle = Math.ceil(objects.length / 2)
          await postAll(Batch.of(objects.slice(0, middle)))
          await postAll(Batch.of(objects.slice(middle)))
          return
        }
        rest = Batch.of(withoutRejected(objects, error))
      }
    }
  }

  /** Throws any other error than that the service rejects some of the objects. */
  function withoutRejected(objects: readonly OutgoingObject[], error: unknown) {
    const rejected = rejectedLines(error)
    if (rejected === undefined) throw error
    for (const one of rejected) {
      const object = objects[one.line - 1]
      if (object === undefined) {
        throw new Error(`the service rejected line ${one.line}, which was not sent`)
      }
      onRejected(toRejection(one, object))
    }
    const numbers = new Set(rejected.map(({ line }) => line))
    return objects.filter((_, index) => !numbers.has(index + 1))
  }

  function record({ put, kept = 0, version }: BatchResult, objects: number): void {
    sent.batches += 1
    sent.objects += objects
    sent.put += put
    sent.kept += kept
    sent.version = Math.max(sent.version, version)
  }

  return {
    sent,
    get isFull() {
      return isFull()
    },
    add(json, key, file, line) {
      if (toSkip > 0) toSkip -= 1
      else batch.add(json, key, file, line)
    },
    send,
    async finish() {
      await send()
      while (pending.length > 0) await pending.shift()?.done
    },
    async settle() {
      batch = new Batch()
      await Promise.allSettled(pending.map(({ done }) => done))
      pending = []
    },
  }
}

function isOutOfSync(error: unknown): boolean {
  return error instanceof OqsError && error.errorName === 'OntologyDefinitionOutOfSync'
}

function isTooLarge(error: unknown): boolean {
  return error instanceof OqsError && error.statusCode === 413
}

/** The errors that list the lines which the service rejects. */
const REJECTIONS: ReadonlySet<string> = new Set(['InvalidBatchLine', 'ConstraintViolated'])

interface RejectedLine {
  readonly line: number
  readonly property?: string
  readonly reason: string
}

function rejectedLines(error: unknown): readonly RejectedLine[] | undefined {
  if (!(error instanceof OqsError) || !REJECTIONS.has(error.errorName)) return undefined
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
  const value = ownValue(cells, property ?? '') ?? ownValue(cells, name)
  const excerpt = value === undefined ? '' : excerptOf(value)
  return { file, line, property, excerpt, reason, row: json }
}
