/** A seeded source of random choices: the same seed gives the same choices on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    // Spreads consecutive seeds, which would otherwise start with similar numbers.
    this.#state = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b) >>> 0
  }

  /** Returns a number from 0 up to, but not including, 1 (the mulberry32 generator). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from 0 up to, but not including, the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('There is nothing to choose from.')
    return items[this.below(items.length)] as Item
  }
}
