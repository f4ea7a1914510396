/**
 * The columns that were read from files into memory. A question reads the parts of segments that it
 * needs; the arrays that were not used for the longest time make room for them. Those that a question
 * in progress uses are pinned.
 */
import type { Part } from '../segment/segment.ts'
import type { FiledSegment } from '../table/table-columns.ts'
import type { EvictedArray } from './compute-thread.ts'
import { DroppedBuffers } from './dropped-buffers.ts'

export interface ColumnMemoryOptions {
  readonly maxBytes: number
  /** The memory that cannot be evicted, and counts. */
  readonly otherBytes: () => number
  readonly onRead: (segment: number, arrays: ReadonlyMap<number, SharedArrayBuffer>) => void
  readonly onEvicted: (arrays: readonly EvictedArray[]) => void
}

/** An array in memory, or on its way there. */
interface Held {
  readonly filed: FiledSegment
  readonly offset: number
  readonly bytes: number
  reading: Promise<void> | undefined
  pins: number
}

/** What a question has asked for, and what is pinned for it. */
export class Pins implements Disposable {
  /** By the segments of a table. */
  readonly parts = new Map<readonly FiledSegment[], Set<Part>>()
  readonly held = new Set<Held>()
  readonly #onRelease: () => void

  constructor(onRelease: () => void) {
    this.#onRelease = onRelease
  }

  add(held: Held): void {
    if (this.held.has(held)) return
    this.held.add(held)
    held.pins += 1
  }

  release(): void {
    for (const held of this.held) held.pins -= 1
    this.held.clear()
    this.#onRelease()
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

/** The files that one question reads at once. */
const READERS = 4

export class ColumnMemory {
  readonly #options: ColumnMemoryOptions
  /** By segment and offset. */
  readonly #held = new Map<FiledSegment, Map<number, Held>>()
  /** Those first that were not used for the longest time. */
  readonly #byUse = new Set<Held>()
  /** What this thread does not refer to any more. */
  readonly dropped: DroppedBuffers
  #bytes = 0
  #pinned = new Set<Pins>()
  #released = Promise.withResolvers<void>()

  constructor(options: ColumnMemoryOptions) {
    this.#options = options
    this.dropped = new DroppedBuffers(options.maxBytes)
  }

  /** The memory of all arrays. */
  get bytes(): number {
    return this.#bytes
  }

  /** The memory of the arrays of some segments. */
  bytesOf(filed: readonly FiledSegment[]): number {
    const held = filed.flatMap((one) => [...(this.#held.get(one)?.values() ?? [])])
    return held.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  pins(): Pins {
    const pins: Pins = new Pins(() => {
      this.#pinned.delete(pins)
      this.#released.resolve()
      this.#released = Promise.withResolvers()
    })
    return pins
  }

  /** Pins a part that a question has used. */
  use(pins: Pins, filed: readonly FiledSegment[], part: Part): void {
    const parts = pins.parts.get(filed) ?? new Set()
    pins.parts.set(filed, parts.add(part))
    this.#pin(pins, filed, part)
  }

  /**
   * Reads what is missing of all parts that a question has asked for. Returns false if they do not fit
   * into the memory. Throws `DamagedFile` if a file is not what was written.
   */
  async read(pins: Pins, signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      signal?.throwIfAborted()
      const missing = [...pins.parts].flatMap(([filed, parts]) => this.#pin(pins, filed, ...parts))
      if (this.#makeRoom(missing)) {
        await this.#readAll(pins, missing)
        return true
      }
      pins.release()
      // Two questions that wait for each other would wait without end.
      if (this.#pinned.size === 0) return false
      await this.#released.promise
    }
  }

  /** Evicts what does not fit any more, because questions take memory too. */
  trim(): void {
    this.#makeRoom([])
  }

  /** Forgets segments that nobody needs any more. */
  drop(segments: readonly FiledSegment[]): void {
    for (const filed of segments) {
      for (const held of this.#held.get(filed)?.values() ?? []) this.#forget(held)
    }
  }

  /** Pins what there is of a part, and returns what is missing. */
  #pin(pins: Pins, filed: readonly FiledSegment[], ...parts: readonly Part[]): Missing[] {
    return filed.map((one) => {
      const held = this.#held.get(one)
      const offsets = new Set(parts.flatMap((part) => one.parts.get(part) ?? []))
      for (const offset of offsets) {
        const found = held?.get(offset)
        if (found === undefined) continue
        offsets.delete(offset)
        pins.add(found)
        this.#pinned.add(pins)
        this.#byUse.delete(found)
        this.#byUse.add(found)
      }
      return { filed: one, offsets: [...offsets] }
    })
  }

  /** Evicts arrays until there is room. Returns false if there is none even so. */
  #makeRoom(missing: readonly Missing[]): boolean {
    const { maxBytes, otherBytes } = this.#options
    const sizes = missing.flatMap(({ filed, offsets }) =>
      offsets.map((offset) => filed.image.bytesOf(offset)),
    )
    const needed = sizes.reduce((sum, bytes) => sum + bytes, 0)
    const max = maxBytes - otherBytes() - needed
    if (this.#bytes <= max) return true
    const unused = [...this.#byUse].filter(
      ({ pins, reading }) => pins === 0 && reading === undefined,
    )
    const least = unused.reduce((rest, { bytes }) => rest - bytes, this.#bytes)
    // Nothing is evicted for a question that cannot be answered.
    if (needed > 0 && least > max) return false
    const evicted: EvictedArray[] = []
    for (const held of unused) {
      if (this.#bytes <= max) break
      this.#forget(held)
      evicted.push({ id: held.filed.id, offset: held.offset })
    }
    this.#options.onEvicted(evicted)
    return this.#bytes <= max
  }

  #forget(held: Held): void {
    const { filed, offset, bytes } = held
    const ofSegment = this.#held.get(filed)
    if (ofSegment?.get(offset) !== held) return
    ofSegment.delete(offset)
    if (ofSegment.size === 0) this.#held.delete(filed)
    this.#byUse.delete(held)
    this.#bytes -= bytes
    filed.image.arrays.delete(offset)
    filed.segment.close()
    this.dropped.add(bytes)
  }

  async #readAll(pins: Pins, missing: readonly Missing[]): Promise<void> {
    // What other questions are reading, this one waits for as well.
    const others = [...pins.held].map(({ reading }) => reading)
    const reads = missing.flatMap(({ filed, offsets }) => {
      if (offsets.length === 0) return []
      const { promise, resolve } = Promise.withResolvers<void>()
      const held = offsets.map((offset): Held => {
        const bytes = filed.image.bytesOf(offset)
        return { filed, offset, bytes, reading: promise, pins: 0 }
      })
      for (const one of held) this.#hold(pins, one)
      return { promise, start: () => resolve(this.#readArrays(filed, held)) }
    })
    const queue = reads.values()
    const work = async () => {
      for (const { promise, start } of queue) {
        start()
        // Others may wait for the rest even if this fails.
        await promise.catch(() => {})
      }
    }
    await Promise.all(Array.from({ length: Math.min(READERS, reads.length) }, work))
    await Promise.all([...reads.map(({ promise }) => promise), ...others])
  }

  #hold(pins: Pins, held: Held): void {
    const { filed, offset, bytes } = held
    const ofSegment = this.#held.get(filed) ?? new Map<number, Held>()
    this.#held.set(filed, ofSegment)
    ofSegment.set(offset, held)
    this.#byUse.add(held)
    this.#bytes += bytes
    pins.add(held)
    this.#pinned.add(pins)
  }

  async #readArrays(filed: FiledSegment, held: readonly Held[]): Promise<void> {
    try {
      const arrays = await filed.image.read(held.map(({ offset }) => offset))
      // Columns may have been dropped meanwhile.
      const isHeld = ({ offset }: Held) => this.#held.get(filed)?.has(offset)
      if (!held.every(isHeld)) return
      for (const [offset, array] of arrays) filed.image.arrays.set(offset, array)
      this.#options.onRead(filed.id, arrays)
    } catch (error) {
      for (const one of held) this.#forget(one)
      throw error
    } finally {
      for (const one of held) one.reading = undefined
    }
  }
}

interface Missing {
  readonly filed: FiledSegment
  readonly offsets: readonly number[]
}
