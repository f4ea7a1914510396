/**
 * A log of what several writers have written, to check walks against. The objects of the writers
 * alternate in key order. Each batch has a number and writes it to the first object of its writer,
 * so that a walk shows which batch of each writer it has seen.
 *
 * A batch that is sent twice, because the first response was lost, leaves the same objects.
 */

/** The number of objects of each writer, and of objects that are never changed. */
const SLOTS = 150

interface LoggedBatch {
  /** For each slot, the batch that wrote it last, or `DELETED`. */
  readonly slots: Int32Array
  /** The range of versions that the batch can have. */
  lowest: number
  highest: number
}

const DELETED = -1

export interface WrittenObject {
  readonly n: number
  readonly text: string
}

export type LoggedChange = { readonly put: WrittenObject } | { readonly delete: number }

/** The last batch of each writer that a walk has seen. */
export type Sight = readonly number[]

export class CommitLog {
  readonly writers: number
  readonly #batches: LoggedBatch[][]

  constructor(writers: number) {
    this.writers = writers
    this.#batches = Array.from({ length: writers }, () => [])
  }

  /** Returns the objects that are never changed. */
  fixed(): WrittenObject[] {
    return Array.from({ length: SLOTS }, (_, slot) => ({
      n: this.#key(this.writers, slot),
      text: '',
    }))
  }

  isFixed(n: number): boolean {
    return n % (this.writers + 1) === this.writers
  }

  /** Creates the next batch of a writer and logs it. */
  next(writer: number): { number: number; changes: LoggedChange[] } {
    const batches = this.#batches[writer] ?? []
    const before = batches.at(-1)
    const number = batches.length
    const slots = before === undefined ? new Int32Array(SLOTS) : Int32Array.from(before.slots)
    const touched =
      before === undefined
        ? slots.keys()
        : [0, ...Array.from({ length: 14 }, () => 1 + Math.floor(Math.random() * (SLOTS - 1)))]
    const changes = [...new Set(touched)].map((slot): LoggedChange => {
      const n = this.#key(writer, slot)
      const isDelete = slot > 0 && before !== undefined && Math.random() < 0.3
      slots[slot] = isDelete ? DELETED : number
      return isDelete ? { delete: n } : { put: { n, text: String(number) } }
    })
    batches.push({ slots, lowest: (before?.lowest ?? 0) + 1, highest: Number.POSITIVE_INFINITY })
    return { number, changes }
  }

  acknowledge(writer: number, number: number, version: number, isFirstAttempt: boolean): void {
    const batch = this.#batches[writer]?.[number]
    if (batch === undefined) throw new Error('no such batch')
    if (isFirstAttempt) batch.lowest = version
    batch.highest = version
  }

  /** Returns the newest acknowledged batch of each writer. */
  acknowledged(): Sight {
    return this.#batches.map((batches) =>
      batches.findLastIndex(({ highest }) => Number.isFinite(highest)),
    )
  }

  /**
   * Checks the objects of a snapshot walk: for each writer they must be the state after one batch,
   * which is not older than the last batch acknowledged before the walk.
   */
  checkSnapshot(objects: readonly WrittenObject[], acknowledged: Sight): Sight {
    const byKey = new Map(objects.map(({ n, text }) => [n, text]))
    const sight = Array.from({ length: this.writers }, (_, writer) => Number(byKey.get(writer)))
    const expected = this.#objectsAt(sight)
    for (const [at, { n, text }] of expected.entries()) {
      const seen = objects[at]
      if (seen?.n !== n || seen.text !== text) {
        throw new Error(
          `as of batches ${sight}, object ${at} is ${JSON.stringify(seen)} instead of ${n} of batch ${text}`,
        )
      }
    }
    if (objects.length !== expected.length) {
      throw new Error(`${objects.length} objects instead of ${expected.length}`)
    }
    for (const [writer, number] of acknowledged.entries()) {
      if ((sight[writer] ?? -1) < number) {
        throw new Error(`batch ${number} of writer ${writer} was acknowledged, but is missing`)
      }
    }
    return sight
  }

  /** Checks that the batches that a walk has seen belong to one version. */
  checkMoment(sight: Sight): void {
    const version = Math.max(
      ...sight.map((number, writer) => this.#batches[writer]?.[number]?.lowest ?? 0),
    )
    for (const [writer, number] of sight.entries()) {
      const following = this.#batches[writer]?.[number + 1]
      if (following !== undefined && following.highest <= version) {
        throw new Error(
          `as of version ${version}, batch ${number + 1} of writer ${writer}, version ${following.highest}, is missing`,
        )
      }
    }
  }

  /** Checks a walk without a snapshot: in order, no duplicates, all unchanged objects. */
  checkDefault(objects: readonly WrittenObject[]): void {
    for (const [at, { n }] of objects.entries()) {
      if (at > 0 && n <= (objects[at - 1]?.n ?? 0)) throw new Error(`${n} is out of order`)
    }
    const fixed = objects.filter(({ n }) => this.isFixed(n)).length
    if (fixed !== SLOTS) throw new Error(`only ${fixed} of ${SLOTS} unchanged objects`)
  }

  #objectsAt(sight: Sight): WrittenObject[] {
    const objects = this.fixed()
    for (const [writer, number] of sight.entries()) {
      const batch = this.#batches[writer]?.[number]
      if (batch === undefined) throw new Error(`writer ${writer} has written no batch ${number}`)
      for (const [slot, writtenBy] of batch.slots.entries()) {
        if (writtenBy !== DELETED) {
          objects.push({ n: this.#key(writer, slot), text: String(writtenBy) })
        }
      }
    }
    return objects.sort((a, b) => a.n - b.n)
  }

  #key(writer: number, slot: number): number {
    return slot * (this.writers + 1) + writer
  }
}
