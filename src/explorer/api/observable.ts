/** A value that components subscribe to, in the form that `useSyncExternalStore` takes. */
export class Observable<Value> {
  readonly #listeners = new Set<() => void>()
  #value: Value

  constructor(value: Value) {
    this.#value = value
  }

  readonly get = (): Value => this.#value

  readonly set = (value: Value): void => {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  /** Returns a function that ends the subscription. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
