/**
 * What several writers have written, to hold walks against. Each writer has objects of its own,
 * between those of the others in key order, and numbers its batches; each batch also writes the
 * writer's first object, so that a walk tells which batch of each writer it has seen.
 *
 * A batch that was sent twice, because the first answer got lost, has taken effect once or twice,
 * and leaves the same objects.
 */

/** Objects of each writer, and as many that nobody ever changes. */
export const SLOTS = 150

interface LoggedBatch {
  /** For each slot the batch that wrote it last, or `GONE`. */
  readonly slots: Int32Array
  /** The versions that the batch can have, once it is acknowledged. */
  lowest: number
  highest: number
}

const GONE = -1

export interface WrittenObject {
  readonly n: number
  readonly text: string
}

export type LoggedChange = { readonly put: WrittenObject } | { readonly delete: number }

/** Which batch of each writer a walk has seen. */
export type Sight = readonly number[]

export class CommitLog {
  readonly writers: number
  readonly #batches: LoggedBatch[][]

  constructor(writers: number) {
    this.writers = writers
    this.#batches = Array.from({ length: writers }, () => [])
  }

  /** All objects that nobody changes. */
  fixed(): WrittenObject[] {
    return Array.from({ length: SLOTS }, (_, slot) => ({
      n: this.#key(this.writers, slot),
      text: '',
    }))
  }

  isFixed(n: number): boolean {
    return n % (this.writers + 1) === this.writers
  }

  /** Logs the next batch of a writer, which is about to be sent. */
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
      const deletes = slot > 0 && before !== undefined && Math.random() < 0.3
      slots[slot] = deletes ? GONE : number
      return deletes ? { delete: n } : { put: { n, text: String(number) } }
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

  /** The newest batch of each writer that is acknowledged. */
  acknowledged(): Sight {
    return this.#batches.map((batches) =>
      batches.findLastIndex(({ highest }) => Number.isFinite(highest)),
    )
  }

  /**
   * Holds the objects of a snapshot walk against the log: for each writer exactly what it had
   * written up to one batch, which is no older than what was acknowledged before the walk began.
   */
  checkSnapshot(objects: readonly WrittenObject[], acknowledged: Sight): Sight {
    const byKey = new Map(objects.map(({ n, text }) => [n, text]))
    const sight = Array.from({ length: this.writers }, (_, writer) => Number(byKey.get(writer)))
    const expected = this.#objectsAt(sight)
    for (const [at, { n, text }] of expected.entries()) {
      const seen = objects[at]
      if (seen?.n !== n || seen.text !== text) {
        throw new Error(
          `as of batches ${sight}, object ${at} is ${JSON.stringify(seen)}, not ${n} of batch ${text}`,
        )
      }
    }
    if (objects.length !== expected.length)
      throw new Error(`${objects.length} objects, not ${expected.length}`)
    for (const [writer, number] of acknowledged.entries()) {
      if ((sight[writer] ?? -1) < number) {
        throw new Error(`batch ${number} of writer ${writer} was acknowledged, and is not seen`)
      }
    }
    return sight
  }

  /** Whether what a walk has seen of all writers was there at one moment. */
  checkMoment(sight: Sight): void {
    const version = Math.max(
      ...sight.map((number, writer) => this.#batches[writer]?.[number]?.lowest ?? 0),
    )
    for (const [writer, number] of sight.entries()) {
      const following = this.#batches[writer]?.[number + 1]
      if (following !== undefined && following.highest <= version) {
        throw new Error(
          `as of version ${version}, batch ${number + 1} of writer ${writer} is missing, which is version ${following.highest}`,
        )
      }
    }
  }

  /** What holds for a walk without a snapshot: the order, no doubles, all that stayed as it was. */
  checkDefault(objects: readonly WrittenObject[]): void {
    for (const [at, { n }] of objects.entries()) {
      if (at > 0 && n <= (objects[at - 1]?.n ?? 0)) throw new Error(`${n} comes too late`)
    }
    const fixed = objects.filter(({ n }) => this.isFixed(n)).length
    if (fixed !== SLOTS) throw new Error(`${fixed} of ${SLOTS} objects that nobody touched`)
  }

  #objectsAt(sight: Sight): WrittenObject[] {
    const objects = this.fixed()
    for (const [writer, number] of sight.entries()) {
      const batch = this.#batches[writer]?.[number]
      if (batch === undefined) throw new Error(`writer ${writer} has written no batch ${number}`)
      for (const [slot, writtenBy] of batch.slots.entries()) {
        if (writtenBy !== GONE)
          objects.push({ n: this.#key(writer, slot), text: String(writtenBy) })
      }
    }
    return objects.sort((a, b) => a.n - b.n)
  }

  #key(writer: number, slot: number): number {
    return slot * (this.writers + 1) + writer
  }
}
