/**
 * Reads that several followers share: those that ask for the same while it is read, or while one of them
 * still sends it. What a read holds is released after the last of them.
 */

import type { Page } from '../pages/page.ts'

export interface FollowedPage {
  readonly page: Page
  /** The token to whose changes the next page belongs: of the same moment as the one that was sent. */
  readonly since: string
}

interface SharedRead {
  readonly page: Promise<FollowedPage>
  readonly held: DisposableStack
  users: number
}

export class SharedReads {
  /** By what they read of a definition. */
  readonly #reads = new WeakMap<object, Map<string, SharedRead>>()

  /** Returns a page that is held until `defer` calls back; `read` must return the same for each key. */
  join(
    definition: object,
    key: string,
    defer: (leave: () => void) => void,
    read: (held: DisposableStack) => Promise<FollowedPage>,
  ): Promise<FollowedPage> {
    const reads = this.#reads.get(definition) ?? new Map<string, SharedRead>()
    this.#reads.set(definition, reads)
    const shared = reads.get(key) ?? startRead(read)
    reads.set(key, shared)
    const forget = () => {
      if (reads.get(key) === shared) reads.delete(key)
    }
    shared.users += 1
    defer(() => {
      shared.users -= 1
      if (shared.users > 0) return
      forget()
      const release = () => shared.held.dispose()
      void shared.page.then(release, release)
    })
    // Who shared a failure tries again.
    shared.page.catch(forget)
    return shared.page
  }
}

function startRead(read: (held: DisposableStack) => Promise<FollowedPage>): SharedRead {
  const held = new DisposableStack()
  return { page: read(held), held, users: 0 }
}
