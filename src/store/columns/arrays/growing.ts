/** An array that grows, of a length that is known approximately. */
export class Growing<A extends Float64Array | Uint32Array> {
  #array: A
  #length = 0
  readonly #make: (length: number) => A

  constructor(make: (length: number) => A, expected: number) {
    this.#make = make
    this.#array = make(Math.max(expected, 16))
  }

  push(value: A[number]): void {
    if (this.#length === this.#array.length) {
      const larger = this.#make(this.#length * 2)
      larger.set(this.#array as never)
      this.#array = larger
    }
    this.#array[this.#length] = value
    this.#length += 1
  }

  at(index: number): number {
    return this.#array[index] as number
  }

  /** Returns the values at the indexes of an order; all as they are without one. */
  inOrder(order: Uint32Array | undefined): A {
    if (order === undefined) return this.array
    const ordered = this.#make(order.length)
    for (let at = 0; at < order.length; at += 1) {
      ordered[at] = this.#array[order[at] as number] as number
    }
    return ordered
  }

  get length(): number {
    return this.#length
  }

  get array(): A {
    return this.#array.subarray(0, this.#length) as A
  }
}
