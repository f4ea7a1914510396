const FIRST_SLOTS = 1024

/**
 * A set of texts that keeps 64 bits of each instead of the text, so that the garbage collector has
 * nothing to copy. Two of a million different texts have the same bits in one of 30 million sets:
 * enough for a count, not for a decision.
 */
export class KeyHashes {
  /** The two halves of each hash, one after the other. The second half is 0 in a free slot only. */
  #slots = new Uint32Array(2 * FIRST_SLOTS)
  #size = 0
  #high = 0
  #low = 0

  has(text: string): boolean {
    this.#hash(text)
    return this.#slots[this.#find() + 1] !== 0
  }

  /** Adds a text; returns false if the set has it already. */
  add(text: string): boolean {
    this.#hash(text)
    const at = this.#find()
    if (this.#slots[at + 1] !== 0) return false
    this.#put(at)
    this.#size += 1
    // Half of the slots stay free, so that searches are short.
    if (4 * this.#size > this.#slots.length) this.#grow()
    return true
  }

  /** Computes two hashes with different factors, mixed like MurmurHash3. */
  #hash(text: string): void {
    let [high, low] = [text.length, ~text.length]
    for (let index = 0; index < text.length; index += 2) {
      // Two units at a time; none after the last one is NaN, which counts as 0.
      const unit = text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16)
      high = Math.imul(high ^ unit, 0xcc9e2d51)
      high = Math.imul((high << 15) | (high >>> 17), 5) + 0xe6546b64
      low = Math.imul(low ^ unit, 0x1b873593)
      low = Math.imul((low << 13) | (low >>> 19), 9) + 0x38b34ae5
    }
    this.#high = mix(high)
    this.#low = mix(low) || 1
  }

  /** Returns the index of the current hash, or of the free slot where it belongs. */
  #find(): number {
    const [slots, high, low] = [this.#slots, this.#high, this.#low]
    const mask = slots.length - 1
    let at = (2 * high) & mask
    while (slots[at + 1] !== 0 && (slots[at] !== high || slots[at + 1] !== low)) {
      at = (at + 2) & mask
    }
    return at
  }

  #put(at: number): void {
    this.#slots[at] = this.#high
    this.#slots[at + 1] = this.#low
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(2 * old.length)
    for (let at = 0; at < old.length; at += 2) {
      this.#high = old[at] ?? 0
      this.#low = old[at + 1] ?? 0
      if (this.#low !== 0) this.#put(this.#find())
    }
  }
}

function mix(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return (second ^ (second >>> 16)) >>> 0
}
