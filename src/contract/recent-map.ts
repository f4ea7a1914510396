/**
 * Keeps what was used last: about the last half of what it has room for, and never more than it has
 * room for, as long as no value takes more than half of it. Two maps take turns: when half of the
 * room is too little for the young one, it becomes the old one, and what was the old one goes as a
 * whole. To let the oldest entry go each time would cost more the larger the map is, because a map
 * passes over all that was deleted before it.
 */
export class RecentMap<Value> {
  readonly #room: number
  readonly #sizeOf: (value: Value) => number
  #young = new Map<string, Value>()
  #youngSize = 0
  #old = new Map<string, Value>()

  constructor(room: number, sizeOf: (value: Value) => number = () => 1) {
    this.#room = room
    this.#sizeOf = sizeOf
  }

  /** What is found counts as used. */
  get(name: string): Value | undefined {
    const value = this.#young.get(name)
    if (value !== undefined) return value
    const older = this.#old.get(name)
    if (older !== undefined) this.set(name, older)
    return older
  }

  set(name: string, value: Value): void {
    if (this.#young.has(name)) this.delete(name)
    const size = this.#sizeOf(value)
    if (this.#youngSize + size > this.#room / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngSize = 0
    }
    this.#young.set(name, value)
    this.#youngSize += size
  }

  /** Gives whether it was there. */
  delete(name: string): boolean {
    const value = this.#young.get(name)
    if (value === undefined) return this.#old.delete(name)
    this.#youngSize -= this.#sizeOf(value)
    this.#old.delete(name)
    return this.#young.delete(name)
  }
}
