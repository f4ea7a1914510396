/**
 * The entry point of the builder thread, which builds base segments. It has a low priority, and
 * pauses: neither readers nor writers wait for it. Segments go to a file as they are complete, so that
 * memory does not grow with the type.
 */
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { LOW_NICENESS, lowerThreadPriority } from '../../../admission/background-priority.ts'
import { openColumnFeed } from '../../open-column-feed.ts'
import type { ColumnFeed, ColumnSegmentRecord, FeedRow } from '../feed/column-feed.ts'
import { describeSegments, removeSegments, SegmentWriter } from '../file/segment-file.ts'
import { type BuiltSegment, SegmentBuilder } from '../segment/build-segment.ts'
import type { ColumnSpec } from '../segment/column.ts'
import { columnSpecs } from '../segment/column-specs.ts'
import { bytesOfRow } from '../table/added-rows.ts'
import type { BaseSegments } from '../table/table-columns.ts'
import { STEPS, type ThreadData } from './answering-thread.ts'
import { BuildPace } from './build-pace.ts'

export interface BuildThreadData {
  readonly storeName: string
  readonly folder: string
  /** Whether somebody waits for what is built. */
  readonly isAwaited: boolean
  /** The memory for columns. */
  readonly maxBytes: number
  /** The most rows of a segment. */
  readonly segmentRows?: number | undefined
}

export interface BuildMessage {
  readonly typeRid: string
}

export type Built =
  | { readonly record: ColumnSegmentRecord }
  /** Without a file to write to, columns are only in memory. */
  | { readonly base: BaseSegments }
  | { readonly failed: 'failed' | 'tooLarge'; readonly reason: string }

/** A segment ends after this number of rows, or bytes of rows, because those are in memory. */
const SEGMENT_ROWS = 1 << 19
const SEGMENT_MAX_BYTES = 256 * 1024 * 1024
const SEGMENT_MIN_BYTES = 32 * 1024 * 1024
/** How long the database counts as busy with a portion of rows: on a busy machine it also waits. */
const PORTION_MAX_MS = 50

/** Where segments go. */
interface Target extends Disposable {
  add(segment: BuiltSegment): void
  finish(base: Omit<BaseSegments, 'segments'>): Promise<Built>
}

class TooLarge extends Error {}
class NotWritten extends Error {}

const data = workerData as BuildThreadData & ThreadData
const { storeName, folder, isAwaited, maxBytes, segmentRows = SEGMENT_ROWS, progress } = data
if (!isAwaited) lowerThreadPriority(LOW_NICENESS)
const feed = await openColumnFeed(storeName)
const segmentBytes = Math.min(SEGMENT_MAX_BYTES, Math.max(SEGMENT_MIN_BYTES, maxBytes))

parentPort?.on('message', async (message: BuildMessage) => {
  parentPort?.postMessage(await build(feed, message))
})

async function build(from: ColumnFeed, message: BuildMessage): Promise<Built> {
  try {
    try {
      return await buildInto(() => fileTarget(from), from, message)
    } catch (error) {
      if (!(error instanceof NotWritten)) throw error
      return await buildInto(() => memoryTarget(), from, message)
    }
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    return { failed: 'tooLarge', reason: error.message }
  }
}

async function buildInto(
  open: () => Target,
  from: ColumnFeed,
  { typeRid }: BuildMessage,
): Promise<Built> {
  Atomics.store(progress, STEPS, 0)
  const pace = isAwaited ? undefined : new BuildPace(from)
  await pace?.pause()
  const [head] = await from.readHeads([typeRid])
  const objectType = await from.readObjectType(typeRid)
  if (head === undefined || objectType === undefined || !head.isCreated) {
    return { failed: 'failed', reason: 'the type was emptied or deleted' }
  }
  const { typeId, table, generation, published: version, liveCount } = head
  const source = { typeId, table, specs: columnSpecs(objectType) }
  using target = open()
  const segments = new Segments(target, source.specs, liveCount)
  let askedAt = performance.now()
  for await (const rows of from.readObjects(source, version)) {
    await pace?.pause(Math.min(performance.now() - askedAt, PORTION_MAX_MS))
    for (const row of rows) {
      segments.add(row)
      Atomics.add(progress, STEPS, 1)
      if (pace?.isDue()) await pace.pause()
    }
    askedAt = performance.now()
  }
  const [after] = await from.readHeads([typeRid])
  if (after?.table !== table || after.generation !== generation) {
    return { failed: 'failed', reason: 'the definition changed, or the objects were replaced' }
  }
  if (after.oldest > version) {
    return { failed: 'failed', reason: `version ${version} was reclaimed` }
  }
  segments.finish()
  return await target.finish({ typeRid, source, generation, version, builtAtMs: Date.now() })
}

/** Cuts the rows of a table into segments. */
class Segments {
  readonly #target: Target
  readonly #specs: readonly ColumnSpec[]
  /** The rows that are still expected. */
  #restRows: number
  #builder: SegmentBuilder | undefined
  #bytes = 0
  #isEmpty = true

  constructor(target: Target, specs: readonly ColumnSpec[], rows: number) {
    this.#target = target
    this.#specs = specs
    this.#restRows = rows
  }

  add(row: FeedRow): void {
    this.#builder ??= this.#next()
    this.#builder.add(row)
    this.#bytes += bytesOfRow(row)
    if (this.#builder.size >= segmentRows || this.#bytes >= segmentBytes) this.#end()
  }

  /** A table without rows has a segment without rows. */
  finish(): void {
    if (this.#isEmpty) this.#builder ??= this.#next()
    this.#end()
  }

  #next(): SegmentBuilder {
    return new SegmentBuilder(this.#specs, {
      kind: 'rows',
      rows: Math.max(1, Math.min(this.#restRows, segmentRows)),
    })
  }

  #end(): void {
    const builder = this.#builder
    if (builder === undefined) return
    this.#restRows -= builder.size
    this.#builder = undefined
    this.#bytes = 0
    this.#isEmpty = false
    this.#target.add(builder.finish())
  }
}

function fileTarget(from: ColumnFeed): Target {
  const name = randomUUID()
  const writer = written(() => new SegmentWriter(folder, name))
  return {
    add: (segment) => written(() => writer.add(segment)),
    async finish(base) {
      const { typeRid, source, generation, version } = base
      const record = { name, typeRid, table: source.table, generation, version }
      const segments = written(() => writer.finish())
      await describeSegments(folder, segments, base).catch(notWritten)
      await from.addSegment(record).catch(async (error: unknown) => {
        await removeSegments(folder, name)
        throw error
      })
      return { record }
    },
    [Symbol.dispose]: () => writer[Symbol.dispose](),
  }
}

function memoryTarget(): Target {
  const segments: BaseSegments['segments'][number][] = []
  let bytes = 0
  return {
    add({ buffer, place }) {
      bytes += buffer.byteLength
      if (bytes > maxBytes) throw new TooLarge(`they take more than ${maxBytes} bytes`)
      segments.push({ place, image: buffer })
    },
    finish: async (base) => ({ base: { ...base, segments } }),
    [Symbol.dispose]: () => {},
  }
}

function written<T>(write: () => T): T {
  try {
    return write()
  } catch (error) {
    return notWritten(error)
  }
}

function notWritten(error: unknown): never {
  throw new NotWritten(String(error))
}
