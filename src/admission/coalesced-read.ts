/**
 * Coalesces concurrent reads of the same value. Callers that arrive while a read is running share
 * the next one. That read starts after all of them arrived, so its result is as fresh as that of a
 * separate read, and any number of callers costs one read at a time.
 */
export class CoalescedRead<T> {
  readonly #read: () => Promise<T>
  readonly #onIdle: () => void
  #running: Promise<void> | undefined
  #next: Promise<T> | undefined

  constructor(read: () => Promise<T>, onIdle: () => void = () => {}) {
    this.#read = read
    this.#onIdle = onIdle
  }

  run(): Promise<T> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(() => this.#start())
    return this.#next
  }

  #start(): Promise<T> {
    this.#next = undefined
    const reading = this.#read()
    const end = () => {
      if (this.#next !== undefined) return
      this.#running = undefined
      this.#onIdle()
    }
    this.#running = reading.then(end, end)
    return reading
  }
}
