/** When API tokens and OAuth clients were last used, so that people can revoke those that nobody needs. */
import { LRUCache } from 'lru-cache'
import type { Documents } from '../store/object-store.ts'

const MINUTE_MS = 60_000
/** Each process stores the use of a credential this often at most, so that reads stay reads. */
const INTERVAL_MS = 5 * MINUTE_MS
/** Uses that are older are deleted; the credential then counts as never used. */
const KEPT_MS = 400 * 24 * 60 * MINUTE_MS

/** Forgetting one only means that its use is stored more often. */
const MAX_CREDENTIALS = 10_000

export class CredentialUses {
  readonly #documents: Documents
  /** The uses that this process stored, by the id of the token or client. */
  readonly #stored = new LRUCache<string, number>({ max: MAX_CREDENTIALS })

  constructor(documents: Documents) {
    this.#documents = documents
  }

  /** Notes a use. The request does not wait, and succeeds even if the use cannot be stored. */
  note(id: string, nowMs: number): void {
    const storedMs = this.#stored.get(id)
    if (storedMs !== undefined && nowMs - storedMs < INTERVAL_MS) return
    this.#stored.set(id, nowMs)
    const document = {
      kind: 'credentialUse',
      id,
      body: nowMs,
      expiresAtMs: nowMs + KEPT_MS,
    } as const
    this.#documents.put(document).catch(() => {})
  }

  /** Returns the last use of each credential, by id. */
  async readAll(nowMs: number): Promise<ReadonlyMap<string, number>> {
    const uses = new Map<string, number>()
    for (const { id, body } of await this.#documents.list('credentialUse', nowMs)) {
      uses.set(id, body as number)
    }
    // This process may not have stored its newest uses yet.
    for (const [id, usedMs] of this.#stored.entries())
      uses.set(id, Math.max(usedMs, uses.get(id) ?? 0))
    return uses
  }
}
