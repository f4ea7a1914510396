/**
 * The entry point of the builder thread, which builds base segments. It has a low priority, and
 * pauses: neither readers nor writers wait for it.
 */
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { LOW_NICENESS, lowerThreadPriority } from '../../../admission/background-priority.ts'
import { openColumnFeed } from '../../open-column-feed.ts'
import type { ColumnFeed, ColumnSegmentRecord } from '../feed/column-feed.ts'
import { describeSegments, SegmentWriter } from '../file/segment-file.ts'
import { SegmentBuilder } from '../segment/build-segment.ts'
import { columnSpecs } from '../segment/column-specs.ts'
import type { BaseSegments } from '../table/table-columns.ts'
import type { ThreadData } from './answering-thread.ts'
import { BuildPace } from './build-pace.ts'

export interface BuildThreadData {
  readonly storeName: string
  readonly folder: string
  /** Whether somebody waits for what is built. */
  readonly isAwaited: boolean
}

export interface BuildMessage {
  readonly typeRid: string
  readonly maxBytes: number
}

export type Built =
  | { readonly base: BaseSegments; readonly record: ColumnSegmentRecord | undefined }
  | { readonly failed: 'failed' | 'tooLarge'; readonly reason: string }

const { storeName, folder, isAwaited, progress } = workerData as BuildThreadData & ThreadData
if (!isAwaited) lowerThreadPriority(LOW_NICENESS)
const feed = await openColumnFeed(storeName)

parentPort?.on('message', async (message: BuildMessage) => {
  parentPort?.postMessage(await build(feed, message))
})

async function build(from: ColumnFeed, { typeRid, maxBytes }: BuildMessage): Promise<Built> {
  const pace = isAwaited ? undefined : new BuildPace(from)
  await pace?.pause()
  const [head] = await from.readHeads([typeRid])
  const objectType = await from.readObjectType(typeRid)
  if (head === undefined || objectType === undefined || !head.isCreated) {
    return { failed: 'failed', reason: 'the type was emptied or deleted' }
  }
  const { typeId, table, generation, published: version } = head
  const source = { typeId, table, specs: columnSpecs(objectType) }
  const builder = new SegmentBuilder(source.specs, { kind: 'rows', rows: head.liveCount })
  for await (const rows of from.readObjects(source, version)) {
    Atomics.add(progress, 0, 1)
    for (const row of rows) {
      builder.add(row)
      if (pace?.isDue()) await pace.pause()
    }
  }
  const [after] = await from.readHeads([typeRid])
  if (after?.table !== table || after.generation !== generation) {
    return { failed: 'failed', reason: 'the definition changed, or the objects were replaced' }
  }
  if (after.oldest > version) {
    return { failed: 'failed', reason: `version ${version} was reclaimed` }
  }
  const builtAtMs = Date.now()
  const segment = builder.finish()
  const base = { typeRid, source, generation, version, builtAtMs, segments: [segment] }
  const { byteLength } = segment.buffer
  if (byteLength > maxBytes) {
    return { failed: 'tooLarge', reason: `they take ${byteLength} bytes of ${maxBytes}` }
  }
  return { base, record: await keep(from, base) }
}

/** Keeps columns for the next start. Without a disk to write to, they are only in memory. */
async function keep(
  from: ColumnFeed,
  { segments, ...base }: BaseSegments,
): Promise<ColumnSegmentRecord | undefined> {
  const { typeRid, source, generation, version } = base
  const record = { name: randomUUID(), typeRid, table: source.table, generation, version }
  try {
    using writer = new SegmentWriter(folder, record.name)
    for (const segment of segments) writer.add(segment)
    await describeSegments(folder, writer.finish(), base)
    await from.addSegment(record)
    return record
  } catch {
    // A file without a record is never read.
    return undefined
  }
}
