/**
 * The columns of all types: builds them, reads what questions need of them within the memory budget,
 * and brings them up to the version that a question is answered for.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PublishedColumns } from '../../port/column-load.ts'
import type { ColumnsStatus } from '../../port/maintenance.ts'
import type { ColumnFeed, FeedHead } from '../feed/column-feed.ts'
import { describeLoaded } from '../load/describe-loaded.ts'
import { DamagedFile } from '../segment/file-image.ts'
import type { SharedSegment } from '../table/shared-segment.ts'
import { type BaseSegments, TableColumns } from '../table/table-columns.ts'
import { ColumnBuilder } from './build-queue.ts'
import type { Built } from './build-thread.ts'
import { applyNext, fitsDefinition } from './catch-up.ts'
import { ColumnFiles } from './column-files.ts'
import { ColumnMemory, type ColumnMemoryOptions, type Pins } from './column-memory.ts'
import type { Unavailable } from './messages.ts'
import { TypeEntry, toDrop } from './type-entry.ts'

export interface TypeColumnsOptions extends Omit<ColumnMemoryOptions, 'otherBytes'> {
  readonly storeName: string
  /** Where base segments are kept. */
  readonly folder: string
  /** The database answers questions about types with fewer objects quickly. */
  readonly minObjects: number
  /** Whether a question waits until the columns of its types are built. */
  readonly awaitsBuilds: boolean
  /**
   * How long columns that nobody asks for may lag behind: shorter than closed rows are kept, because
   * columns that miss some must be built again.
   */
  readonly maxLagMs: number
  /** The most rows of a segment that is built from a table; questions take longer with more segments. */
  readonly segmentRows?: number
  /** Called with what made a build or a catch-up fail. */
  readonly onFailure: (error: unknown) => void
  /** Called with the segments that nobody needs any more. */
  readonly onClosed: (ids: readonly number[]) => void
  /** Returns what questions in progress take. */
  readonly questionBytes: () => number
}

/** A question waits this long for a file to be opened, which takes milliseconds on a disk that works. */
const OPEN_WAIT_MS = 5000
/** How often a file is marked as used. */
const TOUCH_MS = 60_000

/** Thrown if the keys of a type do not fit into the memory. */
class KeysTooLarge extends Error {}

export class TypeColumns implements AsyncDisposable {
  /** What was read of the files of all types. */
  readonly memory: ColumnMemory
  readonly #feed: ColumnFeed
  readonly #options: TypeColumnsOptions
  readonly #builder: ColumnBuilder
  /** By the RID of the type. */
  readonly #entries = new Map<string, TypeEntry>()
  readonly #files: ColumnFiles
  #lastSegment = 0

  constructor(feed: ColumnFeed, options: TypeColumnsOptions) {
    this.#feed = feed
    this.#options = options
    const { storeName, folder, awaitsBuilds: isAwaited, maxBytes, segmentRows } = options
    const { questionBytes } = options
    this.#builder = new ColumnBuilder({ storeName, folder, isAwaited, maxBytes, segmentRows })
    this.#files = new ColumnFiles(feed, folder)
    this.memory = new ColumnMemory({
      ...options,
      otherBytes: () => this.#fixedBytes + questionBytes(),
    })
  }

  /** Finds the files of earlier processes, and returns the RIDs of their types, the last used first. */
  async findFiles(): Promise<readonly string[]> {
    for (const { record } of await this.#files.list()) {
      const entry = this.#entryOf(record.typeRid)
      if ((entry.record?.version ?? -1) < record.version) entry.record = record
    }
    return [...this.#entries.keys()]
  }

  /** Opens or builds the columns of types that are worth it. */
  async prepare(rids: readonly string[]): Promise<void> {
    const heads = await this.#feed.readHeads(rids)
    for (const [index, typeRid] of rids.entries()) {
      const head = heads[index]
      if (head === undefined || this.#entryOf(typeRid).mayLag(this.#options.maxLagMs)) continue
      // Also catches up, before the closed rows are deleted.
      await this.#find(typeRid, head, head.published).catch(this.#options.onFailure)
    }
  }

  /** Removes the file of columns that were built while objects were loaded that nobody published. */
  discard(name: string): void {
    this.#files.discard(name)
  }

  /**
   * Takes over columns that were built while the objects of a type were loaded. Returns false if they
   * are not those of its table; then they are built from the table.
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
    const opened = await this.#files.open(record)
    if (opened === undefined) return false
    this.#keep(entry, opened)
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
    const { record } = entry
    if (record !== undefined && entry.usedAt - entry.touchedAt > TOUCH_MS) {
      entry.touchedAt = entry.usedAt
      this.#files.touch(record)
    }
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
    await this.#open(entry)
    if (entry.columns !== undefined) {
      const found = await this.#caughtUp(entry, head, version)
      if (found !== undefined) return found
    }
    if (entry.refused !== undefined) return { reason: entry.refused, types: [typeRid] }
    const building = this.#build(typeRid, entry, head)
    if (!this.#options.awaitsBuilds) return { reason: 'building', types: [typeRid] }
    await building
    if (entry.columns === undefined && entry.refused !== undefined) {
      return { reason: entry.refused, types: [typeRid] }
    }
    const [latest] = await this.#feed.readHeads([typeRid])
    // The question is about objects of the table that it was asked for.
    if (latest?.table !== head.table) return { reason: 'outdated' }
    return (await this.#caughtUp(entry, latest, version)) ?? { reason: 'outdated' }
  }

  status(): ColumnsStatus {
    const { maxBytes, questionBytes } = this.#options
    return {
      residentBytes: process.memoryUsage.rss(),
      usedBytes: this.memory.bytes + this.#fixedBytes + questionBytes(),
      maxBytes,
      types: [...this.#entries].map(([typeRid, entry]) => {
        const { filed = [], fixedBytes = 0 } = entry.columns ?? {}
        const bytes = this.memory.bytesOf(filed) + fixedBytes
        return { typeRid, ...entry.status(this.#builder.builtObjects(typeRid)), bytes }
      }),
    }
  }

  /** True if columns still have a segment. */
  isCurrent(segment: number): boolean {
    return [...this.#entries.values()].some(({ columns }) =>
      columns?.shared.some(({ id }) => id === segment),
    )
  }

  /** Drops columns whose file is not what was written. They are built again. */
  dropDamaged(columns: TableColumns, { path, message }: DamagedFile): void {
    const { typeRid } = columns.base
    const entry = this.#entryOf(typeRid)
    const isDamaged = columns.filed.some(({ image }) => image.path === path)
    // The file of columns that were replaced meanwhile is gone.
    if (!isDamaged || entry.columns !== columns) return
    this.#options.onFailure(`the file of the columns of ${typeRid} is damaged: ${message}`)
    this.#forget(entry)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#builder[Symbol.asyncDispose]()
    await this.#feed[Symbol.asyncDispose]()
  }

  /** The memory of all types that cannot be evicted. */
  get #fixedBytes(): number {
    let bytes = 0
    for (const { columns } of this.#entries.values()) bytes += columns?.fixedBytes ?? 0
    return bytes
  }

  #entryOf(typeRid: string): TypeEntry {
    const known = this.#entries.get(typeRid)
    if (known !== undefined) return known
    const entry = new TypeEntry()
    this.#entries.set(typeRid, entry)
    return entry
  }

  /** Returns undefined if the columns must be built again. */
  async #caughtUp(
    entry: TypeEntry,
    head: FeedHead,
    version: number,
  ): Promise<TableColumns | Unavailable | undefined> {
    if (entry.isBehind && !this.#options.awaitsBuilds) return { reason: 'building' }
    const columns = await entry.inTurn(() => this.#catchUp(entry, head))
    if (columns === undefined) return undefined
    if (columns === 'outdated') return { reason: columns }
    return columns.reaches(version) && version <= columns.seen ? columns : { reason: 'outdated' }
  }

  async #catchUp(entry: TypeEntry, head: FeedHead): Promise<TableColumns | 'outdated' | undefined> {
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
    const options = {
      onBehind: () => entry.setBehind(true),
      readKeys: () => this.#readKeys(columns),
    }
    try {
      while (columns.seen < head.published) {
        const before = columns.shared
        const isApplied = await applyNext(this.#feed, columns, head.published, options)
        // Dropped, or built again meanwhile.
        if (entry.columns !== columns) return await this.#catchUp(entry, head)
        if (!isApplied) return this.#forget(entry)
        this.#close(before.filter(({ id }) => !this.isCurrent(id)))
        if (!this.#makeRoom(entry)) return this.#refuse(entry)
      }
    } catch (error) {
      if (entry.columns !== columns) return await this.#catchUp(entry, head)
      if (error instanceof KeysTooLarge) return this.#refuse(entry)
      if (error instanceof DamagedFile) return void this.dropDamaged(columns, error)
      this.#forget(entry)
      throw error
    } finally {
      entry.setBehind(false)
    }
    // Nobody waits for a better base of columns that nobody asks for.
    const isWanted = entry.usedAt > columns.openedAt && entry.refused === undefined
    if (columns.needsNewBase && isWanted) void this.#build(base.typeRid, entry, head)
    return columns
  }

  async #readKeys({ filed }: TableColumns): Promise<Pins> {
    const pins = this.memory.pins()
    for (const part of ['keys', 'versions'] as const) this.memory.use(pins, filed, part)
    if (!(await this.memory.read(pins))) throw new KeysTooLarge()
    return pins
  }

  /** Opens the file with the base, if there is one. */
  async #open(entry: TypeEntry): Promise<void> {
    const { record } = entry
    if (entry.columns !== undefined || record === undefined || entry.refused !== undefined) return
    const opening = entry.open(async () => {
      const base = await this.#files.open(record)
      if (base !== undefined) this.#keep(entry, base)
      else if (entry.record === record) this.#forget(entry)
    })
    if (this.#options.awaitsBuilds) await opening
    else await Promise.race([opening, sleep(OPEN_WAIT_MS, undefined, { ref: false })])
  }

  /** Builds a new base. Until then, the columns stay as they are. */
  #build(typeRid: string, entry: TypeEntry, { liveCount }: FeedHead): Promise<void> {
    return entry.build(liveCount, async () => {
      try {
        const built = await this.#builder.run({ typeRid })
        if (!('failed' in built)) {
          await this.#replace(entry, built)
          return
        }
        this.#reportBuild(typeRid, built.reason)
        if (built.failed === 'tooLarge') entry.refuseTooLarge()
        else entry.refuseFailed()
      } catch (error) {
        this.#reportBuild(typeRid, String(error))
        entry.refuseFailed()
      }
    })
  }

  #reportBuild(typeRid: string, reason: string): void {
    this.#options.onFailure(`the columns of ${typeRid} were not built: ${reason}`)
  }

  async #replace(entry: TypeEntry, built: Exclude<Built, { failed: unknown }>): Promise<void> {
    const base = 'base' in built ? built.base : await this.#files.open(built.record)
    if (base === undefined) throw new Error('their file cannot be read')
    const current = entry.columns?.base
    // Those of a load were taken over meanwhile.
    if (current !== undefined && current.version >= base.version) {
      if ('record' in built) this.#files.remove(built.record)
      return
    }
    this.#forget(entry)
    if ('record' in built) entry.record = built.record
    this.#keep(entry, base)
  }

  #keep(entry: TypeEntry, base: BaseSegments): void {
    const { maxBytes } = this.#options
    const nextId = () => {
      this.#lastSegment += 1
      return this.#lastSegment
    }
    entry.become(new TableColumns(base, { nextId, maxBytes }))
    if (!this.#makeRoom(entry)) this.#refuse(entry)
  }

  /** Drops columns of other types that cannot be evicted. Returns false if they do not fit even so. */
  #makeRoom(forEntry: TypeEntry): boolean {
    const dropped = toDrop(this.#entries.values(), forEntry, this.#options.maxBytes)
    for (const entry of dropped ?? []) this.#drop(entry)
    this.memory.trim()
    return dropped !== undefined
  }

  #refuse(entry: TypeEntry): undefined {
    entry.refuseTooLarge()
    this.#drop(entry)
  }

  #drop(entry: TypeEntry): void {
    const columns = entry.drop()
    if (columns === undefined) return
    this.memory.drop(columns.filed)
    this.#close(columns.shared)
  }

  #close(segments: readonly SharedSegment[]): void {
    this.#options.onClosed(segments.map(({ id }) => id))
    for (const { image } of segments) {
      if (image instanceof SharedArrayBuffer) this.memory.dropped.add(image.byteLength)
    }
  }

  /** Drops columns that can never be used again, and their file. */
  #forget(entry: TypeEntry): undefined {
    this.#drop(entry)
    if (entry.record !== undefined) this.#files.remove(entry.record)
    entry.record = undefined
  }
}
