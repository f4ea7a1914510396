/** A seeded source of random numbers: the same seed gives the same numbers on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
    // The first numbers of neighbouring seeds are alike.
    for (let skipped = 0; skipped < 8; skipped += 1) this.#next()
  }

  /** Returns a whole number from 0 to less than the limit. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit)
  }

  /** Returns a whole number in a range that includes both ends. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1)
  }

  chance(probability: number): boolean {
    return this.#next() < probability
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)]
    if (list.length === 0) throw new Error('nothing to pick from')
    return picked as T
  }

  /** Picks an entry with a probability that is proportional to its weight. */
  pickWeighted<T>(entries: readonly (readonly [weight: number, value: T])[]): T {
    let rest = this.#next() * entries.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of entries) {
      rest -= weight
      if (rest < 0) return value
    }
    throw new Error('nothing to pick from')
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)))
  }

  uuid(): string {
    const hex = this.bytes(16).toString('hex')
    return [8, 4, 4, 4, 12].map((length, part) => hex.substr(STARTS[part] ?? 0, length)).join('-')
  }

  /** Mulberry32: 32 bits of state are enough, and it needs no library. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let bits = this.#state
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

const STARTS = [0, 8, 12, 16, 20]
