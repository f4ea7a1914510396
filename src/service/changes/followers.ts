import type { Publications } from '../../store/object-store.ts'
import { SharedReads } from './shared-reads.ts'

/** Requests that wait for new versions of object types. One listener of the store serves them all. */
export class Followers implements Disposable {
  readonly #publications: Publications
  readonly #watches = new Map<string, Set<Watch>>()
  readonly #stopping: AbortSignal
  readonly reads = new SharedReads()
  #following: Disposable | undefined
  #publicationCount = 0
  /** The number of publications up to the last one of each type, and up to the last one of all types. */
  readonly #lastOf = new Map<string | undefined, number>()

  constructor(publications: Publications, stopping: AbortSignal) {
    this.#publications = publications
    this.#stopping = stopping
    stopping.addEventListener('abort', () => this.#each(undefined, (watch) => watch.giveUp()))
  }

  /** Watches types from now on, so that no version is missed between reading and waiting. */
  watch(typeRids: readonly string[]): Watch {
    this.#following ??= this.#publications.follow((typeRid) => {
      this.#publicationCount += 1
      this.#lastOf.set(typeRid, this.#publicationCount)
      this.#each(typeRid, (watch) => watch.wake())
    })
    const watch = new Watch(() => {
      for (const typeRid of typeRids) this.#forget(typeRid, watch)
    })
    if (this.#stopping.aborted) watch.giveUp()
    for (const typeRid of typeRids) {
      const watches = this.#watches.get(typeRid) ?? new Set()
      this.#watches.set(typeRid, watches.add(watch))
    }
    return watch
  }

  /** Returns a number that grows whenever one of the types may have a new version. */
  lastPublication(typeRids: readonly string[]): number {
    return Math.max(...[undefined, ...typeRids].map((typeRid) => this.#lastOf.get(typeRid) ?? 0))
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]()
  }

  #each(typeRid: string | undefined, run: (watch: Watch) => void): void {
    const found = typeRid === undefined ? this.#watches.values() : [this.#watches.get(typeRid)]
    for (const watches of found) for (const watch of watches ?? []) run(watch)
  }

  #forget(typeRid: string, watch: Watch): void {
    const watches = this.#watches.get(typeRid)
    watches?.delete(watch)
    if (watches?.size === 0) this.#watches.delete(typeRid)
  }
}

/** Waits for a new version of some types. */
export class Watch implements Disposable {
  readonly #forget: () => void
  /** Whether there is a new version; undefined while that is unknown. */
  #isPublished: boolean | undefined
  #resolve: ((isPublished: boolean) => void) | undefined

  constructor(forget: () => void) {
    this.#forget = forget
  }

  wake(): void {
    this.#isPublished = true
    this.#resolve?.(true)
  }

  giveUp(): void {
    this.#isPublished ??= false
    this.#resolve?.(false)
  }

  /**
   * Resolves to true once a type may have a new version, and to false after the time, when the
   * signal is aborted, or when the service stops.
   */
  published(ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#isPublished !== undefined) return Promise.resolve(this.#isPublished)
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = (isPublished: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        resolve(isPublished)
      }
      const stop = () => end(false)
      const timer = setTimeout(stop, ms)
      signal.addEventListener('abort', stop)
      this.#resolve = end
    })
  }

  [Symbol.dispose](): void {
    this.#forget()
  }
}
