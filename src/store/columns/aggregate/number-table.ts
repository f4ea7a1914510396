/** Gives distinct numbers consecutive ids, faster than a Map does. NaN equals itself. */
export class NumberTable {
  /** Ids by hash, plus 1; 0 is none. The length is a power of two. */
  #slots = new Int32Array(1024)
  #numbers = new Float64Array(512)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Returns the id of a number, which is new if it equals the size before. */
  idOf(number: number): number {
    const numbers = this.#numbers
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = hashOf(number) & mask
    for (;;) {
      const id = slots[slot] as number
      if (id === 0) break
      const known = numbers[id - 1] as number
      if (known === number || (Number.isNaN(known) && Number.isNaN(number))) return id - 1
      slot = (slot + 1) & mask
    }
    slots[slot] = this.#size + 1
    const id = this.add(number)
    if (this.#size * 2 > slots.length) this.index()
    return id
  }

  /** Adds a number that is known to be new, and is never looked up before `index` is called. */
  add(number: number): number {
    if (this.#size === this.#numbers.length) {
      const larger = new Float64Array(this.#size * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#size] = number
    this.#size += 1
    return this.#size - 1
  }

  /** Makes all numbers known to `idOf`. */
  index(): void {
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(this.#size * 4 + 1024)))
    for (let id = 0; id < this.#size; id += 1) {
      let slot = hashOf(this.#numbers[id] as number) & (slots.length - 1)
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
      slots[slot] = id + 1
    }
    this.#slots = slots
  }

  valueOf(id: number): number {
    return this.#numbers[id] as number
  }
}

const double = new Float64Array(1)
const halves = new Uint32Array(double.buffer)

/**
 * Mixes all bits into all others, as MurmurHash does at its end. Both zeros have the same hash; NaNs
 * may differ.
 */
export function hashOf(number: number): number {
  double[0] = number + 0
  let mixed = (halves[0] as number) ^ Math.imul(halves[1] as number, 0x9e37_79b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return mixed ^ (mixed >>> 16)
}
