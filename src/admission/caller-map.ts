/**
 * The state of each caller, created on first use. Once there are many callers, idle ones are
 * evicted, so the map is bounded by the number of callers that are active at the same time.
 */
export interface CallerMapOptions<State> {
  readonly create: () => State
  /** True if the caller behaves like a new one, so that evicting it changes nothing. */
  readonly isIdle: (state: State) => boolean
  /** The number of callers from which on idle ones are evicted. */
  readonly maxCallers?: number
}

const MAX_CALLERS = 10_000

export class CallerMap<State> {
  readonly #options: CallerMapOptions<State>
  readonly #maxCallers: number
  readonly #states = new Map<string, State>()
  #evictAt: number

  constructor(options: CallerMapOptions<State>) {
    this.#options = options
    this.#maxCallers = options.maxCallers ?? MAX_CALLERS
    this.#evictAt = this.#maxCallers
  }

  get size(): number {
    return this.#states.size
  }

  values(): Iterable<State> {
    return this.#states.values()
  }

  find(callerId: string): State | undefined {
    return this.#states.get(callerId)
  }

  findOrCreate(callerId: string): State {
    const known = this.#states.get(callerId)
    if (known !== undefined) return known
    if (this.#states.size >= this.#evictAt) this.#evictIdle()
    const state = this.#options.create()
    this.#states.set(callerId, state)
    return state
  }

  #evictIdle(): void {
    for (const [callerId, state] of this.#states) {
      if (this.#options.isIdle(state)) this.#states.delete(callerId)
    }
    // Doubles while most callers are active, so that a scan costs little per new caller.
    this.#evictAt = Math.max(this.#maxCallers, 2 * this.#states.size)
  }
}
