import type { PublicationListener, Publications } from '../../port/publications.ts'

/** Calls the listeners of this process. */
export class LocalPublications implements Publications {
  readonly reachesOthers = false
  readonly #listeners = new Set<PublicationListener>()

  follow(listener: PublicationListener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) }
  }

  announce(typeRid: string | undefined): void {
    for (const listener of this.#listeners) listener(typeRid)
  }
}
