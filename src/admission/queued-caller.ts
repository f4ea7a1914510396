/** A caller in a queue: its tasks, what it has used, and how long its tasks usually take. */

const HALF_LIFE_MS = 10_000
/** A caller counts as active for this long after its last task. */
const ACTIVE_MS = 1000
const AVERAGE_WEIGHT = 0.3

export class QueuedCaller<Task> {
  readonly waiting: Task[] = []
  running = 0
  /** Milliseconds of use, counted from the equal share when the caller became active. */
  usedMs: number
  readonly #firstAverageMs: number
  /** Moving average of the duration of a task; decays to the first average while none runs. */
  #averageMs: number
  #usedAt: number

  constructor(usedMs: number, firstAverageMs: number, now: number) {
    this.usedMs = usedMs
    this.#firstAverageMs = firstAverageMs
    this.#averageMs = firstAverageMs
    this.#usedAt = now
  }

  get hasTasks(): boolean {
    return this.running + this.waiting.length > 0
  }

  /** The time at which the caller stops being active; infinite while it has tasks. */
  get activeUntil(): number {
    return this.hasTasks ? Infinity : this.#usedAt + ACTIVE_MS
  }

  averageMs(now: number): number {
    if (this.running > 0) return this.#averageMs
    const decay = 2 ** ((this.#usedAt - now) / HALF_LIFE_MS)
    return this.#firstAverageMs + (this.#averageMs - this.#firstAverageMs) * decay
  }

  startTask(now: number): void {
    this.#averageMs = this.averageMs(now)
    this.running += 1
  }

  endTask(tookMs: number, now: number, isTypical: boolean): void {
    this.running -= 1
    this.usedMs += tookMs
    this.#usedAt = now
    if (isTypical) this.#averageMs += AVERAGE_WEIGHT * (tookMs - this.#averageMs)
  }
}
