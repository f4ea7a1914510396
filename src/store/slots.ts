import { setTimeout as pause } from 'node:timers/promises'
import { ObjectQueryError } from '../contract/errors.ts'

export interface SlotsOptions {
  /** How many may work at once. */
  readonly count: number
  /** How many of those may work for the same; all of them where nothing is said. */
  readonly perKey?: number
  /** What is told to who has waited in vain. */
  readonly busyReason: string
  /** Settles when somebody has waited long enough; given up when the signal comes first. */
  readonly patience?: (signal: AbortSignal) => Promise<unknown>
}

interface Waiting {
  readonly key: string | undefined
  readonly start: () => void
}

const PATIENCE_MS = 30_000

/**
 * So many may work at once; the others wait in the order in which they came, but not for ever. Of
 * those who work for the same only a few may do so: what one of them waits for, the others
 * do as well, and all who want something else would wait with them.
 */
export class Slots {
  #free: number
  readonly #perKey: number
  readonly #busyReason: string
  readonly #patience: (signal: AbortSignal) => Promise<unknown>
  readonly #working = new Map<string, number>()
  readonly #waiting: Waiting[] = []

  constructor({ count, perKey = count, busyReason, patience = waitLong }: SlotsOptions) {
    this.#free = count
    this.#perKey = perKey
    this.#busyReason = busyReason
    this.#patience = patience
  }

  async use<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(key)) this.#enter(key)
    else await this.#wait(key)
    try {
      return await work()
    } finally {
      this.#leave(key)
    }
  }

  async #wait(key: string | undefined): Promise<void> {
    const started = new AbortController()
    const turn = Promise.withResolvers<void>()
    const waiting = { key, start: turn.resolve }
    this.#waiting.push(waiting)
    const giveUp = () => {
      const place = this.#waiting.indexOf(waiting)
      // Its turn came at the same moment.
      if (place === -1) return
      this.#waiting.splice(place, 1)
      const reason = this.#busyReason
      turn.reject(new ObjectQueryError('ServiceUnavailable', { reason }))
    }
    // A patience that is no longer needed ends with an error.
    this.#patience(started.signal).then(giveUp, () => {})
    await turn.promise.finally(() => started.abort())
  }

  #hasRoom(key: string | undefined): boolean {
    return this.#free > 0 && (key === undefined || this.#workingFor(key) < this.#perKey)
  }

  #workingFor(key: string): number {
    return this.#working.get(key) ?? 0
  }

  #enter(key: string | undefined): void {
    this.#free -= 1
    if (key !== undefined) this.#working.set(key, this.#workingFor(key) + 1)
  }

  #leave(key: string | undefined): void {
    this.#free += 1
    if (key !== undefined) {
      const left = this.#workingFor(key) - 1
      if (left === 0) this.#working.delete(key)
      else this.#working.set(key, left)
    }
    const next = this.#waiting.findIndex((waiting) => this.#hasRoom(waiting.key))
    const [waiting] = next === -1 ? [] : this.#waiting.splice(next, 1)
    if (waiting === undefined) return
    // Entered for whoever waits, so that nobody who comes before it wakes takes its place.
    this.#enter(waiting.key)
    waiting.start()
  }
}

function waitLong(signal: AbortSignal): Promise<unknown> {
  return pause(PATIENCE_MS, undefined, { signal, ref: false })
}
