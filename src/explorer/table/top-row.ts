/**
 * The first row in view. It changes with every frame of scrolling, so only the parts that show it
 * subscribe to it.
 */
export class TopRow {
  readonly #listeners = new Set<() => void>()
  #row = 0

  readonly get = (): number => this.#row

  readonly set = (row: number): void => {
    if (row === this.#row) return
    this.#row = row
    for (const listener of this.#listeners) listener()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
