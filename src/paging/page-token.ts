import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { PAGE_TOKEN_MAX_LENGTH } from '../contract/limits.ts'
import { FINGERPRINT_BYTES } from './request-fingerprint.ts'
import { KEY_ID_BYTES, NONCE_BYTES, SALT_BYTES, type TokenKeys } from './token-keys.ts'

/**
 * Page tokens: sealed, so that a client can neither read nor change them, and bound to one request
 * and one caller [2.1.5]. All that a walk needs travels in the token; no server keeps state.
 *
 *     v1.BASE64URL( format 1 | key id 4 | salt 16 | nonce 12 | sealed state | tag 16 )
 *
 * The format byte lets a later release still open the tokens of this one.
 */

/** Where a walk stands between two pages. */
export interface PageState {
  /** The last object served; the next page starts strictly after it. */
  readonly after: LastServed
  /** Objects served so far, for the cross-page limit. */
  readonly served: number
  /** How many objects the walk is about, where the first page has counted them for all. */
  readonly totalCount: number | undefined
  /** The store's estimate of the matches, for a walk that is not counted. */
  readonly matchEstimate?: number | undefined
  /** Present in snapshot walks: the version all pages read, and when it was taken. */
  readonly snapshot: SnapshotState | undefined
}

/** The key of an object and the commit that wrote the row of it that was served. */
export interface LastServed {
  readonly pk: string
  readonly version: number
}

export interface SnapshotState {
  readonly version: number
  readonly takenAtSeconds: number
}

/** What a token can be used for: this request, by this caller, until then. */
export interface TokenBinding {
  readonly request: Buffer
  readonly caller: Buffer
}

export type TokenRefusal = 'malformed' | 'expired' | 'other request' | 'other caller' | 'reclaimed'

export type OpenedToken =
  | { readonly state: PageState }
  | { readonly refused: Exclude<TokenRefusal, 'reclaimed'> }

const PREFIX = 'v1.'
const FORMAT = 1
const TAG_BYTES = 16
const SALT_AT = 1 + KEY_ID_BYTES
const NONCE_AT = SALT_AT + SALT_BYTES
const HEAD_BYTES = NONCE_AT + NONCE_BYTES
const CIPHER = 'aes-256-gcm'

export function sealPageToken(
  state: PageState,
  binding: TokenBinding,
  expiresAtSeconds: number,
  keys: TokenKeys,
): string {
  const plain = writeState(state, binding, expiresAtSeconds)
  const tagAt = HEAD_BYTES + plain.length
  const bytes = Buffer.allocUnsafe(tagAt + TAG_BYTES)
  bytes[0] = FORMAT
  const key = keys.nextSeal(bytes, 1)
  const head = bytes.subarray(0, HEAD_BYTES)
  const cipher = createCipheriv(CIPHER, key, head.subarray(NONCE_AT))
  cipher.setAAD(head)
  cipher.update(plain).copy(bytes, HEAD_BYTES)
  cipher.final()
  cipher.getAuthTag().copy(bytes, tagAt)
  const token = PREFIX + bytes.toString('base64url')
  keys.remember(token, plain)
  return token
}

/** Opens a token, or says why it is of no use. Nothing in it is looked at before it is proven. */
export function openPageToken(
  token: string,
  binding: TokenBinding,
  nowSeconds: number,
  keys: TokenKeys,
): OpenedToken {
  if (token.length > PAGE_TOKEN_MAX_LENGTH) return { refused: 'malformed' }
  const plain = keys.recall(token) ?? unseal(token, keys)
  if (plain === undefined) return { refused: 'malformed' }
  if (!binding.caller.equals(plain.subarray(AT.caller, AT.expires))) {
    return { refused: 'other caller' }
  }
  if (!binding.request.equals(plain.subarray(AT.request, AT.caller))) {
    return { refused: 'other request' }
  }
  if (plain.readDoubleBE(AT.expires) <= nowSeconds) return { refused: 'expired' }
  return { state: readState(plain) }
}

function unseal(token: string, keys: TokenKeys): Buffer | undefined {
  if (!token.startsWith(PREFIX)) return undefined
  const text = token.slice(PREFIX.length)
  const bytes = Buffer.from(text, 'base64url')
  // One token has one spelling: base64 readers take others for the same bytes.
  if (bytes.toString('base64url') !== text) return undefined
  if (bytes.length < HEAD_BYTES + AT.pk + TAG_BYTES || bytes[0] !== FORMAT) return undefined

  const id = bytes.subarray(1, SALT_AT)
  const salt = bytes.subarray(SALT_AT, NONCE_AT)
  const plain = keys.open(id, salt, (key) => unsealWith(bytes, key))
  if (plain !== undefined) keys.remember(token, plain)
  return plain
}

function unsealWith(bytes: Buffer, key: KeyObject): Buffer | undefined {
  const head = bytes.subarray(0, HEAD_BYTES)
  const tagAt = bytes.length - TAG_BYTES
  // Without authTagLength a shortened, easily guessed tag would be accepted.
  const decipher = createDecipheriv(CIPHER, key, head.subarray(NONCE_AT), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(head)
  decipher.setAuthTag(bytes.subarray(tagAt))
  const plain = decipher.update(bytes.subarray(HEAD_BYTES, tagAt))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return plain
}

/** Where each part of the sealed state begins. Numbers are doubles: exact to 2^53, fixed width. */
const AT = {
  request: 0,
  caller: FINGERPRINT_BYTES,
  expires: 2 * FINGERPRINT_BYTES,
  served: 2 * FINGERPRINT_BYTES + 8,
  version: 2 * FINGERPRINT_BYTES + 16,
  takenAt: 2 * FINGERPRINT_BYTES + 24,
  count: 2 * FINGERPRINT_BYTES + 32,
  rowVersion: 2 * FINGERPRINT_BYTES + 40,
  pk: 2 * FINGERPRINT_BYTES + 48,
} as const

/** Encodes a number that a walk does not have. */
const NONE = -1
/** An estimate of n is encoded as this minus n, where the exact count would be. */
const ESTIMATE_OF_ZERO = -2

/** The count field holds the exact count, an estimate, or neither. */
function encodeCount({ totalCount, matchEstimate }: PageState): number {
  if (totalCount !== undefined) return totalCount
  return matchEstimate === undefined ? NONE : ESTIMATE_OF_ZERO - matchEstimate
}

function decodeCount(encoded: number): Pick<PageState, 'totalCount' | 'matchEstimate'> {
  if (encoded >= 0) return { totalCount: encoded }
  if (encoded === NONE) return { totalCount: undefined }
  return { totalCount: undefined, matchEstimate: ESTIMATE_OF_ZERO - encoded }
}

function writeState(state: PageState, binding: TokenBinding, expiresAtSeconds: number): Buffer {
  const pk = Buffer.from(state.after.pk)
  const plain = Buffer.allocUnsafe(AT.pk + pk.length)
  binding.request.copy(plain, AT.request)
  binding.caller.copy(plain, AT.caller)
  plain.writeDoubleBE(expiresAtSeconds, AT.expires)
  plain.writeDoubleBE(state.served, AT.served)
  plain.writeDoubleBE(state.snapshot?.version ?? NONE, AT.version)
  plain.writeDoubleBE(state.snapshot?.takenAtSeconds ?? 0, AT.takenAt)
  plain.writeDoubleBE(encodeCount(state), AT.count)
  plain.writeDoubleBE(state.after.version, AT.rowVersion)
  pk.copy(plain, AT.pk)
  return plain
}

function readState(plain: Buffer): PageState {
  const version = plain.readDoubleBE(AT.version)
  return {
    after: { pk: plain.toString('utf8', AT.pk), version: plain.readDoubleBE(AT.rowVersion) },
    served: plain.readDoubleBE(AT.served),
    ...decodeCount(plain.readDoubleBE(AT.count)),
    snapshot:
      version === NONE ? undefined : { version, takenAtSeconds: plain.readDoubleBE(AT.takenAt) },
  }
}
