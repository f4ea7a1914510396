/**
 * The loads whose columns are built while their batches are parsed. All batches of a load go to one
 * thread. The columns are kept only if every batch was committed, and none is open at the end.
 */

/** Loads beyond these are not followed: each takes the memory of a segment. */
const MAX_LOADS = 2
/** A load without a batch for this long makes room for another one. */
const IDLE_MS = 10 * 60_000

interface FollowedLoad<Slot> {
  readonly slot: Slot
  openBatches: number
  isBroken: boolean
  usedAtMs: number
}

/** A batch of a load. Must be ended once. */
export interface LoadBatch<Slot> {
  readonly slot: Slot
  end(isCommitted: boolean): void
}

export class ColumnLoads<Slot> {
  readonly #loads = new Map<string, FollowedLoad<Slot>>()
  readonly #drop: (replacement: string, slot: Slot) => void

  constructor(drop: (replacement: string, slot: Slot) => void) {
    this.#drop = drop
  }

  /** Returns undefined if the load is not followed. */
  begin(replacement: string, chooseSlot: () => Slot): LoadBatch<Slot> | undefined {
    const load = this.#loads.get(replacement) ?? this.#follow(replacement, chooseSlot)
    if (load === undefined || load.isBroken) return undefined
    load.openBatches += 1
    load.usedAtMs = performance.now()
    return {
      slot: load.slot,
      end: (isCommitted) => {
        load.openBatches -= 1
        if (!isCommitted) this.#break(replacement, load)
      },
    }
  }

  /** Stops following a load. Returns the slot that has its columns, if they are complete. */
  take(replacement: string): Slot | undefined {
    const load = this.#loads.get(replacement)
    if (load === undefined) return undefined
    if (load.openBatches > 0) this.#break(replacement, load)
    this.#loads.delete(replacement)
    return load.isBroken ? undefined : load.slot
  }

  drop(replacement: string): void {
    const load = this.#loads.get(replacement)
    if (load !== undefined) this.#break(replacement, load)
    this.#loads.delete(replacement)
  }

  #follow(replacement: string, chooseSlot: () => Slot): FollowedLoad<Slot> | undefined {
    if (this.#loads.size >= MAX_LOADS) this.#dropIdle()
    if (this.#loads.size >= MAX_LOADS) return undefined
    const load = { slot: chooseSlot(), openBatches: 0, isBroken: false, usedAtMs: 0 }
    this.#loads.set(replacement, load)
    return load
  }

  #dropIdle(): void {
    const idleSince = performance.now() - IDLE_MS
    for (const [replacement, { openBatches, usedAtMs }] of this.#loads) {
      if (openBatches === 0 && usedAtMs < idleSince) this.drop(replacement)
    }
  }

  /** The entry stays, so that later batches do not start the columns again. */
  #break(replacement: string, load: FollowedLoad<Slot>): void {
    if (load.isBroken) return
    load.isBroken = true
    this.#drop(replacement, load.slot)
  }
}
