/**
 * How a walk goes on from page to page: where the next page starts [2.1.1] [2.1.2], and the token that
 * carries this: the request and the caller that it is bound to [4.1.1], and how long the walk may pause.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ObjectQueryError } from '../contract/errors.ts'
import type { Revision } from '../contract/revisions.ts'
import type { Cursor } from './cursor.ts'
import {
  CALLER_ID_BYTES,
  FINGERPRINT_BYTES,
  type OpenedToken,
  openPageToken,
  type PageState,
  peekListedTypes,
  type SnapshotState,
  sealPageToken,
  type TokenBinding,
  type TokenRefusal,
} from './page-token.ts'
import { decodeSetPosition, encodeSetPosition } from './set-cursor.ts'
import type { TokenKeys } from './token-keys.ts'

interface ServedPage {
  readonly count: number
  readonly last: Cursor | undefined
  /** True if at least one object follows the last one of this page. */
  readonly more: boolean
}

/** What the tokens of all pages of a walk carry. */
export type CommonState = Partial<Omit<PageState, 'after' | 'served'>>

interface WalkState extends CommonState {
  readonly alreadySent: number
}

/** Returns the state that the next page starts from, or undefined after the last page. */
export function nextPageState(page: ServedPage, walk: WalkState): PageState | undefined {
  const served = walk.alreadySent + page.count
  if (!page.more || page.last === undefined || served === walk.end) return undefined
  return {
    after: page.last,
    served,
    totalCount: walk.totalCount,
    matchEstimate: walk.totalCount === undefined ? walk.matchEstimate : undefined,
    snapshot: walk.snapshot,
    startedAtMs: walk.snapshot === undefined ? walk.startedAtMs : undefined,
    listedTypes: walk.listedTypes,
    end: walk.end,
    isContinued: walk.isContinued,
  }
}

/** How long a token is valid [2.1.5], and how old the snapshot of a walk may become [4.5.2]. */
export interface TokenLifetime {
  readonly ttlSeconds: number
  readonly snapshotMaxAgeSeconds: number
  /** How long changes can be followed from a changes token. */
  readonly changesMaxAgeSeconds: number
}

/** The latest versions of the types that a request reads, and when they were. */
export interface Moment extends Pick<PageState, 'listedTypes'> {
  readonly versions: readonly number[]
  readonly takenAtSeconds: number
}

/** The number of hashes to cache: all pages of a walk have the same fingerprints. */
const HASHES_KEPT = 1000
/** Longer texts are hashed every time. */
const MAX_KEPT_LENGTH = 1000

export class WalkTokens {
  readonly #keys: TokenKeys
  readonly #hashes = new LRUCache<string, Buffer>({ max: HASHES_KEPT })
  readonly lifetime: TokenLifetime

  constructor(keys: TokenKeys, lifetime: TokenLifetime) {
    this.#keys = keys
    this.lifetime = lifetime
  }

  /** Returns what the page tokens of a request are bound to. */
  bind(request: FingerprintedRequest, callerId: string, viewId?: string): TokenBinding {
    return {
      request: requestFingerprint(request, this.#hash),
      caller: callerFingerprint(callerId, viewId, this.#hash),
    }
  }

  /**
   * Opens the page token of a request. Returns the state that the walk resumes from, or undefined on
   * the first page. Throws `InvalidPageToken` with the reason.
   */
  resume(
    pageToken: string | null | undefined,
    binding: TokenBinding,
    nowSeconds: number,
  ): PageState | undefined {
    const opened = this.open(pageToken, binding, nowSeconds)
    if (opened === undefined || 'state' in opened) return opened?.state
    const snapshotToken =
      'expired' in opened ? this.renew(opened.expired, binding, nowSeconds) : undefined
    throw pageTokenRefused(pageToken, opened.refused, { snapshotToken })
  }

  /** Opens the page token of a request; undefined on the first page. */
  open(
    pageToken: string | null | undefined,
    binding: TokenBinding,
    nowSeconds: number,
  ): OpenedToken | undefined {
    return pageToken == null ? undefined : openPageToken(pageToken, binding, nowSeconds, this.#keys)
  }

  /**
   * Returns a token that resumes an expired walk within its snapshot; undefined without a snapshot,
   * or if its row versions may be gone: changes keep them for longer than walks.
   */
  renew(expired: PageState, binding: TokenBinding, nowSeconds: number): string | undefined {
    const { snapshot } = expired
    if (snapshot === undefined) return undefined
    if (endOfSnapshot(snapshot, nowSeconds, this.lifetime) <= nowSeconds) return undefined
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

  /** Seals a token from which changes can be followed. */
  sealChanges({ versions, takenAtSeconds, listedTypes }: Moment, binding: TokenBinding): string {
    const after = { pk: encodeSetPosition({ part: 0, pk: '', versions }), version: 0 }
    const snapshot = { version: 0, takenAtSeconds }
    const state = { after, served: 0, totalCount: undefined, snapshot, listedTypes }
    const expiresAt = takenAtSeconds + this.lifetime.changesMaxAgeSeconds
    return sealPageToken(state, binding, expiresAt, this.#keys)
  }

  /** Opens such a token. Throws `InvalidPageToken` with the reason. */
  openChanges(token: string, binding: TokenBinding, nowSeconds: number): readonly number[] {
    const opened = openPageToken(token, binding, nowSeconds, this.#keys)
    if ('refused' in opened) throw changesTokenRefused(token, opened.refused)
    return decodeSetPosition(opened.state.after.pk).versions ?? []
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

/** Returns the error of a refusal. All refusals have one name; the reason is a parameter. */
export function pageTokenRefused(
  pageToken: string | null | undefined,
  refusal: TokenRefusal,
  { snapshotToken, continueToken }: NextTokens = {},
): ObjectQueryError {
  return new ObjectQueryError('InvalidPageToken', {
    pageToken,
    reason: refusal,
    ...(snapshotToken !== undefined && { snapshotToken }),
    ...(continueToken !== undefined && { continueToken }),
  })
}

/** Returns the error of a changes token that is refused, which requests name `since`. */
export function changesTokenRefused(since: string, reason: TokenRefusal): ObjectQueryError {
  return new ObjectQueryError('InvalidPageToken', { since, reason })
}

/** Page tokens with which a walk can go on whose own is refused. */
export interface NextTokens {
  /** Goes on within the snapshot of the walk. */
  readonly snapshotToken?: string | undefined
  /** Goes on after the last object that was served, as of now. */
  readonly continueToken?: string | undefined
}

/** Precedes all rows: no key is empty. */
export const NO_CURSOR: Cursor = { pk: '', version: 0 }

/** Returns when a token expires. Each page renews the walk, but no token outlives its snapshot. */
export function tokenExpiry(
  nowSeconds: number,
  snapshot: SnapshotState | undefined,
  lifetime: TokenLifetime,
): number {
  const renewed = nowSeconds + lifetime.ttlSeconds
  if (snapshot === undefined) return renewed
  return Math.min(renewed, endOfSnapshot(snapshot, nowSeconds, lifetime))
}

/** Returns when the tokens of a snapshot expire; those of a walk that was resumed later, when it is gone. */
function endOfSnapshot(
  { takenAtSeconds }: SnapshotState,
  nowSeconds: number,
  { snapshotMaxAgeSeconds, changesMaxAgeSeconds }: TokenLifetime,
): number {
  const end = takenAtSeconds + snapshotMaxAgeSeconds
  return nowSeconds < end ? end : Math.max(end, takenAtSeconds + changesMaxAgeSeconds)
}

/**
 * The parts of a request that must not change during a walk. The page size is missing because it is
 * only a hint. The query is the parsed one, so equivalent spellings have the same fingerprint.
 */
export interface FingerprintedRequest {
  readonly endpoint: string
  readonly revision: Revision
  readonly ontologyRid: string
  /** RID, key property and key type, so that a recreated type of the same name differs. */
  readonly objectType: string
  /** The parsed query: plain data with its members in a fixed order. */
  readonly query: object
  readonly order: readonly object[]
  readonly selection: readonly string[] | undefined
  readonly snapshot: boolean
  /** Whether the records omit their RID, which only v2 supports. */
  readonly excludeRid?: boolean
}

/** Hashes a text to `FINGERPRINT_BYTES` bytes. */
export type HashText = (text: string) => Buffer

export function requestFingerprint(
  request: FingerprintedRequest,
  hashText: HashText = shortHash,
): Buffer {
  const { endpoint, revision, ontologyRid, objectType, query, order, selection, snapshot } = request
  const { excludeRid = false } = request
  return hashText(
    JSON.stringify([
      endpoint,
      revision,
      ontologyRid,
      objectType,
      query,
      order,
      selection ?? null,
      snapshot,
      ...(excludeRid ? ['excludeRid'] : []),
    ]),
  )
}

/**
 * Returns the fingerprint of a caller and of the rights that policies give it in an ontology. The
 * first half is that of the caller alone, so that changed rights can be distinguished from another
 * caller.
 */
export function callerFingerprint(
  callerId: string,
  viewId?: string,
  hashText: HashText = shortHash,
): Buffer {
  const caller = hashText(callerId)
  if (viewId === undefined) return caller
  const rights = hashText(JSON.stringify([callerId, viewId]))
  return Buffer.concat([caller.subarray(0, CALLER_ID_BYTES), rights.subarray(CALLER_ID_BYTES)])
}

export function shortHash(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, FINGERPRINT_BYTES)
}
