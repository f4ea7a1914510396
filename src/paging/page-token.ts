/**
 * Page tokens: sealed, so that a client can neither read nor change them, and bound to one request
 * and one caller [2.1.5]. The token carries the whole state of a walk; the server keeps none.
 *
 *     v1.BASE64URL( format 1 | key id 4 | salt 16 | nonce 12 | sealed state | tag 16 )
 */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { PAGE_TOKEN_MAX_LENGTH } from '../contract/limits.ts'
import { FINGERPRINT_BYTES } from './request-fingerprint.ts'
import { KEY_ID_BYTES, NONCE_BYTES, SALT_BYTES, type TokenKeys } from './token-keys.ts'

/** The state of a walk between two pages. */
export interface PageState {
  /** The next page starts strictly after this row. */
  readonly after: Cursor
  /** Objects served so far; compared with the cross-page limit. */
  readonly served: number
  /** The number of matching objects, if the first page counted them for the whole walk. */
  readonly totalCount: number | undefined
  /** The store's estimate of the matches, for a walk that is not counted. */
  readonly matchEstimate?: number | undefined
  /** Set for snapshot walks. */
  readonly snapshot: SnapshotState | undefined
  /** When the walk started, if its query has relative dates and no snapshot says so. */
  readonly startedAtMs?: number | undefined
}

/** The row that a page ended with: the primary key, and the version that wrote the row. */
export interface Cursor {
  readonly pk: string
  readonly version: number
}

/** The versions that all pages of a snapshot walk read, and when they were taken. */
export interface SnapshotState {
  readonly version: number
  readonly takenAtSeconds: number
  /** The versions of other types that the pages read, in an order that the request determines. */
  readonly otherVersions?: readonly number[]
}

/** The fingerprints of the request and the caller that a token is valid for. */
export interface TokenBinding {
  readonly request: Buffer
  readonly caller: Buffer
}

export type TokenRefusal = 'malformed' | 'expired' | 'other request' | 'other caller' | 'reclaimed'

export type OpenedToken =
  | { readonly state: PageState }
  | { readonly refused: Exclude<TokenRefusal, 'reclaimed'> }

const PREFIX = 'v1.'
/** Lets a later release recognise the tokens of this one. */
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

/** Opens a token, or returns why it is refused. Nothing in it is used before it is authenticated. */
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
  // Base64 decoders accept several spellings of the same bytes; only the canonical one is valid.
  if (bytes.toString('base64url') !== text) return undefined
  if (bytes.length < HEAD_BYTES + AT.versions + TAG_BYTES || bytes[0] !== FORMAT) return undefined

  const id = bytes.subarray(1, SALT_AT)
  const salt = bytes.subarray(SALT_AT, NONCE_AT)
  const plain = keys.open(id, salt, (key) => unsealWith(bytes, key))
  if (plain !== undefined) keys.remember(token, plain)
  return plain
}

function unsealWith(bytes: Buffer, key: KeyObject): Buffer | undefined {
  const head = bytes.subarray(0, HEAD_BYTES)
  const tagAt = bytes.length - TAG_BYTES
  // Without authTagLength, Node accepts a truncated tag, which is easy to guess.
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

/** Offsets in the sealed state. Numbers are doubles: fixed width, and exact up to 2^53. */
const AT = {
  request: 0,
  caller: FINGERPRINT_BYTES,
  expires: 2 * FINGERPRINT_BYTES,
  served: 2 * FINGERPRINT_BYTES + 8,
  version: 2 * FINGERPRINT_BYTES + 16,
  takenAt: 2 * FINGERPRINT_BYTES + 24,
  count: 2 * FINGERPRINT_BYTES + 32,
  rowVersion: 2 * FINGERPRINT_BYTES + 40,
  /** The versions, if there are several, and the key. */
  versions: 2 * FINGERPRINT_BYTES + 48,
} as const

/** Keeps tokens within their maximum length. */
export const OTHER_VERSIONS_MAX = 14

/** Encodes an absent number. */
const NONE = -1
/** An estimate of n is encoded as this minus n, where the exact count would be. */
const ESTIMATE_OF_ZERO = -2

/** In place of a version: several versions precede the key. */
const SEVERAL = -2

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
  const { snapshot } = state
  const versions = encodeVersions(snapshot)
  const plain = Buffer.allocUnsafe(AT.versions + versions.length + pk.length)
  binding.request.copy(plain, AT.request)
  binding.caller.copy(plain, AT.caller)
  plain.writeDoubleBE(expiresAtSeconds, AT.expires)
  plain.writeDoubleBE(state.served, AT.served)
  plain.writeDoubleBE(versions.length > 0 ? SEVERAL : (snapshot?.version ?? NONE), AT.version)
  plain.writeDoubleBE(snapshot?.takenAtSeconds ?? (state.startedAtMs ?? 0) / 1000, AT.takenAt)
  plain.writeDoubleBE(encodeCount(state), AT.count)
  plain.writeDoubleBE(state.after.version, AT.rowVersion)
  versions.copy(plain, AT.versions)
  pk.copy(plain, AT.versions + versions.length)
  return plain
}

/** Writes the number of versions, in one byte, and the versions; nothing for a single version. */
function encodeVersions(snapshot: SnapshotState | undefined): Buffer {
  if (snapshot?.otherVersions === undefined) return Buffer.alloc(0)
  const versions = [snapshot.version, ...snapshot.otherVersions]
  if (versions.length > 1 + OTHER_VERSIONS_MAX) {
    throw new Error('too many versions for a page token')
  }
  const bytes = Buffer.allocUnsafe(1 + 8 * versions.length)
  bytes.writeUInt8(versions.length)
  for (const [index, version] of versions.entries()) bytes.writeDoubleBE(version, 1 + 8 * index)
  return bytes
}

function decodeVersions(plain: Buffer): number[] {
  const count = plain.readUInt8(AT.versions)
  const first = AT.versions + 1
  return Array.from({ length: count }, (_, index) => plain.readDoubleBE(first + 8 * index))
}

function readState(plain: Buffer): PageState {
  const snapshot = readSnapshot(plain)
  const others = snapshot?.otherVersions
  const pkAt = AT.versions + (others === undefined ? 0 : 1 + 8 * (1 + others.length))
  return {
    after: { pk: plain.toString('utf8', pkAt), version: plain.readDoubleBE(AT.rowVersion) },
    served: plain.readDoubleBE(AT.served),
    ...decodeCount(plain.readDoubleBE(AT.count)),
    ...(snapshot === undefined
      ? { snapshot, startedAtMs: Math.round(plain.readDoubleBE(AT.takenAt) * 1000) || undefined }
      : { snapshot }),
  }
}

function readSnapshot(plain: Buffer): SnapshotState | undefined {
  const version = plain.readDoubleBE(AT.version)
  if (version === NONE) return undefined
  const takenAtSeconds = plain.readDoubleBE(AT.takenAt)
  if (version !== SEVERAL) return { version, takenAtSeconds }
  const [own = NONE, ...otherVersions] = decodeVersions(plain)
  return { version: own, takenAtSeconds, otherVersions }
}
