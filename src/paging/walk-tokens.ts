/** The page tokens of a service, with its keys and the lifetime that it gives them. */
import { LRUCache } from 'lru-cache'
import {
  type OpenedToken,
  openPageToken,
  type PageState,
  peekListedTypes,
  sealPageToken,
  type TokenBinding,
} from './page-token.ts'
import {
  callerFingerprint,
  type FingerprintedRequest,
  requestFingerprint,
  shortHash,
} from './request-fingerprint.ts'
import type { TokenKeys } from './token-keys.ts'
import { endOfSnapshot, type TokenLifetime, tokenExpiry } from './token-lifetime.ts'

/** The number of hashes to cache: all pages of a walk have the same fingerprints. */
const HASHES_KEPT = 1000
/** Longer texts are hashed every time. */
const MAX_KEPT_LENGTH = 1000

export class WalkTokens {
  readonly #keys: TokenKeys
  readonly #hashes = new LRUCache<string, Buffer>({ max: HASHES_KEPT })
  readonly #callers = new LRUCache<string, Buffer>({ max: HASHES_KEPT })
  readonly lifetime: TokenLifetime

  constructor(keys: TokenKeys, lifetime: TokenLifetime) {
    this.#keys = keys
    this.lifetime = lifetime
  }

  /** Returns what the page tokens of a request are bound to. */
  bind(request: FingerprintedRequest, callerId: string, viewId?: string): TokenBinding {
    return {
      request: requestFingerprint(request, this.#hash),
      caller: this.#callerOf(callerId, viewId),
    }
  }

  #callerOf(callerId: string, viewId: string | undefined): Buffer {
    if (viewId === undefined) return callerFingerprint(callerId, undefined, this.#hash)
    // A view id contains no space.
    const key = `${viewId} ${callerId}`
    const known = this.#callers.get(key)
    if (known !== undefined) return known
    const caller = callerFingerprint(callerId, viewId, this.#hash)
    this.#callers.set(key, caller)
    return caller
  }

  open(token: string, binding: TokenBinding, nowSeconds: number): OpenedToken {
    return openPageToken(token, binding, nowSeconds, this.#keys)
  }

  /**
   * Returns a token that resumes an expired walk within its snapshot; undefined without a snapshot,
   * or if it is too old. The walk ends with its snapshot, however often it is resumed.
   */
  renew(expired: PageState, binding: TokenBinding, nowSeconds: number): string | undefined {
    const { snapshot } = expired
    if (snapshot === undefined) return undefined
    if (endOfSnapshot(snapshot, this.lifetime) <= nowSeconds) return undefined
    return this.seal(expired, binding, nowSeconds)
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

  /** Returns a short hash of a text that the pages of a walk have in common. */
  hashText(text: string): string {
    return this.#hash(text).toString('base64url')
  }

  /** Returns a hash that reveals nothing about a text, not even to someone who can guess it. */
  keyedHash(text: string): string {
    return this.#keys.keyedHash(text)
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

  readonly #hash = (text: string): Buffer => {
    const known = this.#hashes.get(text)
    if (known !== undefined) return known
    const hashed = shortHash(text)
    if (text.length <= MAX_KEPT_LENGTH) this.#hashes.set(text, hashed)
    return hashed
  }
}
