/** The page tokens of a service, with its keys and the lifetime that it gives them. */
import {
  type OpenedToken,
  openPageToken,
  type PageState,
  peekListedTypes,
  sealPageToken,
  type TokenBinding,
} from './page-token.ts'
import type { TokenKeys } from './token-keys.ts'
import { type TokenLifetime, tokenExpiry } from './token-lifetime.ts'

export class WalkTokens {
  readonly #keys: TokenKeys
  readonly lifetime: TokenLifetime

  constructor(keys: TokenKeys, lifetime: TokenLifetime) {
    this.#keys = keys
    this.lifetime = lifetime
  }

  open(token: string, binding: TokenBinding, nowSeconds: number): OpenedToken {
    return openPageToken(token, binding, nowSeconds, this.#keys)
  }

  /** Returns the listed types of a walk; see `PageState`. The token still has to be opened. */
  listedTypesOf(token: string): readonly number[] | undefined {
    return peekListedTypes(token, this.#keys)
  }

  /** Seals the token of the next page. Returns undefined after the last page. */
  seal(next: PageState | undefined, binding: TokenBinding, nowSeconds: number): string | undefined {
    if (next === undefined) return undefined
    const expiresAt = tokenExpiry(nowSeconds, next.snapshot, this.lifetime)
    return sealPageToken(next, binding, expiresAt, this.#keys)
  }

  /**
   * Returns what an entity tag must contain so that a cached page never outlives its token: the
   * sealing key, and which half of a token lifetime the clock is in. When either changes, the page
   * is sent again with a fresh token. The last page, which has no token, follows the same rule.
   */
  etagInputs(nowSeconds: number): (string | number)[] {
    const { ttlSeconds, snapshotMaxAgeSeconds } = this.lifetime
    const lifetime = Math.min(ttlSeconds, snapshotMaxAgeSeconds)
    return [this.#keys.sealingId, Math.floor(nowSeconds / (lifetime / 2))]
  }
}
