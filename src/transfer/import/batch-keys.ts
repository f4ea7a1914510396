interface Keyed {
  readonly key: string
}

/** The keys of a batch. Sets of them are built only if their ranges overlap, unlike in a sorted file. */
export class BatchKeys {
  readonly #objects: readonly Keyed[]
  readonly #first: string
  readonly #last: string
  #set: ReadonlySet<string> | undefined

  constructor(objects: readonly Keyed[]) {
    this.#objects = objects
    let first = objects[0]?.key ?? ''
    let last = first
    for (const { key } of objects) {
      if (key > last) last = key
      else if (key < first) first = key
    }
    this.#first = first
    this.#last = last
  }

  isDisjointFrom(other: BatchKeys): boolean {
    if (this.#last < other.#first || other.#last < this.#first) return true
    return this.#all().isDisjointFrom(other.#all())
  }

  #all(): ReadonlySet<string> {
    this.#set ??= new Set(this.#objects.map(({ key }) => key))
    return this.#set
  }
}
