/**
 * The columns of all types: builds them, keeps them within the memory budget, and brings them up to
 * the version that a question is answered for.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PublishedColumns } from '../../port/column-load.ts'
import type { ColumnsStatus } from '../../port/maintenance.ts'
import type { ColumnFeed, FeedHead } from '../feed/column-feed.ts'
import { describeLoaded } from '../load/describe-loaded.ts'
import type { SharedSegment } from '../table/shared-segment.ts'
import { type BaseSegments, TableColumns } from '../table/table-columns.ts'
import { ColumnBuilder } from './build-queue.ts'
import { applyNext, fitsDefinition } from './catch-up.ts'
import { ColumnFiles } from './column-files.ts'
import { statusOfAll, toEvict } from './column-memory.ts'
import { DroppedBuffers } from './dropped-buffers.ts'
import type { Unavailable } from './messages.ts'
import { type Entry, mayLag, newEntry, refuseFailed, refuseTooLarge } from './type-entry.ts'

export interface TypeColumnsOptions {
  readonly storeName: string
  /** Where base segments are kept over restarts. */
  readonly folder: string
  readonly maxBytes: number
  /** The database answers questions about types with fewer objects quickly. */
  readonly minObjects: number
  /** Whether a question waits until the columns of its types are built. */
  readonly awaitsBuilds: boolean
  /**
   * How long columns that nobody asks for may lag behind: shorter than closed rows are kept, because
   * columns that miss some must be built again.
   */
  readonly maxLagMs: number
  /** Called with what made a build or a catch-up fail. */
  readonly onFailure: (error: unknown) => void
  /** Called with the segments that nobody needs any more. */
  readonly onClosed: (ids: readonly number[]) => void
}

/**
 * A question waits this long for columns that are read from their file, which takes less time than
 * reading all rows.
 */
const READ_WAIT_MS = 5000
/** How often a file is marked as used. */
const TOUCH_MS = 60_000

export class TypeColumns implements AsyncDisposable {
  readonly #feed: ColumnFeed
  readonly #options: TypeColumnsOptions
  readonly #builder: ColumnBuilder
  /** By the RID of the type. */
  readonly #entries = new Map<string, Entry>()
  readonly #files: ColumnFiles
  readonly #dropped = new DroppedBuffers()
  #lastSegment = 0

  constructor(feed: ColumnFeed, options: TypeColumnsOptions) {
    this.#feed = feed
    this.#options = options
    const { storeName, folder, awaitsBuilds: isAwaited } = options
    this.#builder = new ColumnBuilder({ storeName, folder, isAwaited })
    this.#files = new ColumnFiles(feed, folder)
  }

  /** Finds the files of earlier processes, and returns the RIDs of their types, the last used first. */
  async findFiles(): Promise<readonly string[]> {
    for (const { record, bytes } of await this.#files.list()) {
      const entry = this.#entryOf(record.typeRid)
      if ((entry.record?.version ?? -1) >= record.version) continue
      entry.record = record
      entry.bytes = bytes
    }
    return [...this.#entries.keys()]
  }

  /** Builds the columns of types that are worth it, and for which there is room. */
  async prepare(rids: readonly string[]): Promise<void> {
    const heads = await this.#feed.readHeads(rids)
    for (const [index, typeRid] of rids.entries()) {
      const head = heads[index]
      if (head === undefined || mayLag(this.#entryOf(typeRid), this.#options.maxLagMs)) continue
      // Also catches up, before the closed rows are deleted.
      await this.#find(typeRid, head, head.published).catch(this.#options.onFailure)
    }
  }

  /** Removes the file of columns that were built while objects were loaded that nobody published. */
  discard(name: string): void {
    this.#files.discard(name)
  }

  /**
   * Takes over columns that were built while the objects of a type were loaded, and reads them. Returns
   * false if they are not those of its table; then they are built from the table.
   */
  async adopt(published: PublishedColumns): Promise<boolean> {
    const { typeRid } = published
    const entry = this.#entryOf(typeRid)
    const [[head], objectType] = await Promise.all([
      this.#feed.readHeads([typeRid]),
      this.#feed.readObjectType(typeRid),
    ])
    const described = head && objectType && describeLoaded(published, head, objectType)
    if (described === undefined || published.rows < this.#options.minObjects) {
      this.#files.discard(published.name)
      return false
    }
    const { written, base } = described
    const record = await this.#files.describe(written, base)
    this.#forget(entry)
    entry.record = record
    const read = await this.#files.read(record)
    if (read === undefined) return false
    this.#keep(entry, read)
    return true
  }

  /** Returns the columns of a type, caught up with a version, or why there are none. */
  async columnsAt(
    typeRid: string,
    head: FeedHead,
    version: number,
  ): Promise<TableColumns | Unavailable> {
    const entry = this.#entryOf(typeRid)
    entry.usedAt = performance.now()
    const { refused, bytes, record } = entry
    if (record !== undefined && entry.usedAt - entry.touchedAt > TOUCH_MS) {
      entry.touchedAt = entry.usedAt
      this.#files.touch(record)
    }
    // What did not fit before anybody asked for it may evict others now.
    const mayFit = refused?.reason === 'tooLarge' && bytes !== undefined
    if (mayFit && this.#makeRoom(bytes, entry)) entry.refused = undefined
    return await this.#find(typeRid, head, version)
  }

  async #find(
    typeRid: string,
    head: FeedHead,
    version: number,
  ): Promise<TableColumns | Unavailable> {
    const entry = this.#entryOf(typeRid)
    if (head.liveCount < this.#options.minObjects || !head.isCreated) {
      return { reason: 'tooSmall', types: [typeRid] }
    }
    if (entry.columns !== undefined) {
      const found = await this.#caughtUp(entry, head, version)
      if (found !== undefined) return found
    }
    if (entry.refused !== undefined && performance.now() < entry.refused.until) {
      return { reason: entry.refused.reason, types: [typeRid] }
    }
    const building = this.#build(typeRid, entry)
    if (!this.#options.awaitsBuilds) {
      if (entry.isReading)
        await Promise.race([building, sleep(READ_WAIT_MS, undefined, { ref: false })])
      if (entry.columns === undefined) return { reason: 'building', types: [typeRid] }
    }
    await building
    const [latest] = await this.#feed.readHeads([typeRid])
    // The question is about objects of the table that it was asked for.
    if (latest?.table !== head.table) return { reason: 'outdated' }
    return (await this.#caughtUp(entry, latest, version)) ?? { reason: 'outdated' }
  }

  status(): ColumnsStatus {
    return statusOfAll(this.#entries, this.#options.maxBytes)
  }

  /** True if columns still have a segment. */
  isCurrent(segment: number): boolean {
    return [...this.#entries.values()].some(({ columns }) =>
      columns?.shared.some(({ id }) => id === segment),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#builder[Symbol.asyncDispose]()
    await this.#feed[Symbol.asyncDispose]()
  }

  #entryOf(typeRid: string): Entry {
    const known = this.#entries.get(typeRid)
    if (known !== undefined) return known
    const entry = newEntry()
    this.#entries.set(typeRid, entry)
    return entry
  }

  /** Returns undefined if the columns must be built again. */
  async #caughtUp(
    entry: Entry,
    head: FeedHead,
    version: number,
  ): Promise<TableColumns | Unavailable | undefined> {
    if (entry.isBehind && !this.#options.awaitsBuilds) return { reason: 'building' }
    const caughtUp = entry.catchingUp.then(() => this.#catchUp(entry, head))
    entry.catchingUp = caughtUp.catch(() => {})
    const columns = await caughtUp
    if (columns === undefined) return undefined
    if (columns === 'outdated') return { reason: columns }
    return columns.reaches(version) && version <= columns.seen ? columns : { reason: 'outdated' }
  }

  async #catchUp(entry: Entry, head: FeedHead): Promise<TableColumns | 'outdated' | undefined> {
    const { columns } = entry
    if (columns === undefined) return undefined
    const { seen, base } = columns
    // The state was read before another question has had newer columns built.
    if (head.table < base.source.table) return 'outdated'
    // Closed rows of versions before the oldest one may be deleted already.
    const isLost = seen < head.published && head.oldest > seen
    if (isLost || !(await fitsDefinition(this.#feed, columns, head))) return this.#forget(entry)
    entry.caughtUpAt = performance.now()
    if (seen >= head.published) return columns
    const onBehind = () => {
      entry.isBehind = true
    }
    try {
      while (columns.seen < head.published) {
        const before = columns.shared
        const isApplied = await applyNext(this.#feed, columns, head.published, onBehind)
        // Evicted, or built again meanwhile.
        if (entry.columns !== columns) return await this.#catchUp(entry, head)
        if (!isApplied) return this.#forget(entry)
        this.#close(before.filter(({ id }) => !this.isCurrent(id)))
        if (!this.#makeRoom(0, entry)) {
          refuseTooLarge(entry)
          return this.#drop(entry)
        }
      }
    } catch (error) {
      if (entry.columns === columns) this.#forget(entry)
      throw error
    } finally {
      entry.isBehind = false
    }
    // Nobody waits for a better base of columns that nobody asks for.
    if (columns.needsNewBase && entry.usedAt > columns.openedAt)
      void this.#build(base.typeRid, entry)
    return columns
  }

  /** Reads the base from its file, or builds a new one. Until then, the columns stay as they are. */
  #build(typeRid: string, entry: Entry): Promise<void> {
    entry.building ??= this.#newBase(typeRid, entry)
      .catch((error: unknown) => {
        this.#reportBuild(typeRid, String(error))
        refuseFailed(entry)
      })
      .finally(() => {
        entry.building = undefined
      })
    return entry.building
  }

  #reportBuild(typeRid: string, reason: string): void {
    this.#options.onFailure(`the columns of ${typeRid} were not built: ${reason}`)
  }

  async #newBase(typeRid: string, entry: Entry): Promise<void> {
    const { record, bytes } = entry
    if (bytes !== undefined && entry.columns === undefined && !this.#makeRoom(bytes, entry)) {
      refuseTooLarge(entry)
      return
    }
    if (record !== undefined && entry.columns === undefined) {
      entry.isReading = true
      const base = await this.#files.read(record)
      entry.isReading = false
      if (base !== undefined) {
        this.#keep(entry, base)
        return
      }
    }
    const { maxBytes } = this.#options
    const built = await this.#builder.run({ typeRid, maxBytes })
    if ('failed' in built) {
      this.#reportBuild(typeRid, built.reason)
      if (built.failed === 'tooLarge') refuseTooLarge(entry)
      else refuseFailed(entry)
      return
    }
    this.#forget(entry)
    entry.record = built.record
    this.#keep(entry, built.base)
  }

  #keep(entry: Entry, base: BaseSegments): void {
    entry.bytes = base.segments.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
    if (!this.#makeRoom(entry.bytes, entry)) {
      refuseTooLarge(entry)
      return
    }
    entry.refused = undefined
    entry.failures = 0
    entry.columns = new TableColumns(base, () => {
      this.#lastSegment += 1
      return this.#lastSegment
    })
  }

  /** Evicts columns of other types. Returns false if there is no room even so. */
  #makeRoom(bytes: number, forEntry: Entry): boolean {
    const evicted = toEvict([...this.#entries.values()], forEntry, bytes, this.#options.maxBytes)
    for (const entry of evicted ?? []) this.#drop(entry)
    return evicted !== undefined
  }

  #drop(entry: Entry): undefined {
    if (entry.columns === undefined) return
    this.#close(entry.columns.shared)
    entry.columns = undefined
  }

  #close(segments: readonly SharedSegment[]): void {
    this.#options.onClosed(segments.map(({ id }) => id))
    for (const { buffer } of segments) this.#dropped.add(buffer.byteLength)
  }

  /** Drops columns that can never be used again, and their file. */
  #forget(entry: Entry): undefined {
    this.#drop(entry)
    if (entry.record !== undefined) this.#files.remove(entry.record)
    entry.record = undefined
    return undefined
  }
}
