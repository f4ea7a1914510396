/**
 * Reads that callers share. A caller never gets what was read before it asked: it waits for a read
 * that has not begun yet, with all who have asked since the one in progress began.
 */
import type { ReadPool } from './read-pool.ts'

interface Reads<T> {
  readonly running: Promise<T>
  next?: Promise<T> | undefined
}

export class SharedReads<Key extends object, T> {
  readonly #read: (key: Key, pool: ReadPool) => Promise<T>
  /** By pool, because some pools belong to one caller, who may cancel. */
  readonly #pools = new WeakMap<ReadPool, Map<Key, Reads<T>>>()

  constructor(read: (key: Key, pool: ReadPool) => Promise<T>) {
    this.#read = read
  }

  read(key: Key, pool: ReadPool): Promise<T> {
    const reads = this.#pools.get(pool) ?? new Map<Key, Reads<T>>()
    this.#pools.set(pool, reads)
    const current = reads.get(key)
    if (current === undefined) return this.#start(key, pool, reads)
    current.next ??= current.running.then(
      () => this.#start(key, pool, reads),
      () => this.#start(key, pool, reads),
    )
    return current.next
  }

  #start(key: Key, pool: ReadPool, reads: Map<Key, Reads<T>>): Promise<T> {
    const started: Reads<T> = { running: this.#read(key, pool) }
    reads.set(key, started)
    const end = () => {
      // The next read, if there is one, has taken its place.
      if (reads.get(key) === started && started.next === undefined) reads.delete(key)
    }
    started.running.then(end, end)
    return started.running
  }
}
