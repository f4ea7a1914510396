import type { Publications } from '../../store/object-store.ts'

/** Requests that wait for new versions of object types. One listener of the store serves them all. */
export class Followers implements Disposable {
  readonly #publications: Publications
  readonly #watches = new Map<string, Set<Watch>>()
  readonly #stopping: AbortSignal
  #following: Disposable | undefined

  constructor(publications: Publications, stopping: AbortSignal) {
    this.#publications = publications
    this.#stopping = stopping
  }

  /** Watches types from now on, so that no version is missed between reading and waiting. */
  watch(typeRids: readonly string[]): Watch {
    this.#following ??= this.#publications.follow((typeRid) => this.#wake(typeRid))
    const watch = new Watch(this.#stopping, () => {
      for (const typeRid of typeRids) this.#forget(typeRid, watch)
    })
    for (const typeRid of typeRids) {
      const watches = this.#watches.get(typeRid) ?? new Set()
      this.#watches.set(typeRid, watches.add(watch))
    }
    return watch
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]()
  }

  #wake(typeRid: string | undefined): void {
    const woken = typeRid === undefined ? this.#watches.values() : [this.#watches.get(typeRid)]
    for (const watches of woken) for (const watch of watches ?? []) watch.wake()
  }

  #forget(typeRid: string, watch: Watch): void {
    const watches = this.#watches.get(typeRid)
    watches?.delete(watch)
    if (watches?.size === 0) this.#watches.delete(typeRid)
  }
}

/** Waits for a new version of some types. */
export class Watch implements Disposable {
  readonly #stopping: AbortSignal
  readonly #forget: () => void
  #isWoken = false
  #resolve: ((isWoken: boolean) => void) | undefined

  constructor(stopping: AbortSignal, forget: () => void) {
    this.#stopping = stopping
    this.#forget = forget
  }

  wake(): void {
    this.#isWoken = true
    this.#resolve?.(true)
  }

  /**
   * Resolves to true once a type may have a new version, and to false after the time, when the
   * request ends, or when the service stops.
   */
  published(ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#isWoken) return Promise.resolve(true)
    if (signal.aborted || this.#stopping.aborted) return Promise.resolve(false)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#resolve = resolve
    const giveUp = () => resolve(false)
    const timer = setTimeout(giveUp, ms)
    signal.addEventListener('abort', giveUp)
    this.#stopping.addEventListener('abort', giveUp)
    return promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      this.#stopping.removeEventListener('abort', giveUp)
    })
  }

  [Symbol.dispose](): void {
    this.#forget()
  }
}
