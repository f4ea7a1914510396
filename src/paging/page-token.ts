/**
 * Page tokens: sealed, so that a client can neither read nor change them, and bound to one request
 * and one caller [2.1.5]. The token carries the whole state of a walk; the server keeps none.
 *
 *     v1.BASE64URL( format 1 | key id 4 | salt 16 | nonce 12 | sealed state | tag 16 )
 */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { PAGE_TOKEN_MAX_LENGTH } from '../contract/limits.ts'
import type { Cursor } from './cursor.ts'
import { CALLER_ID_BYTES, FINGERPRINT_BYTES } from './request-fingerprint.ts'
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
  /** What the first page found out about the types of listed objects: integers below 65,536. */
  readonly listedTypes?: readonly number[] | undefined
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

export type TokenRefusal =
  | 'malformed'
  | 'expired'
  | 'other request'
  | 'other caller'
  | 'other rights'
  | 'reclaimed'
  | 'redefined'

export type OpenedToken =
  | { readonly state: PageState }
  | { readonly refused: 'expired'; readonly expired: PageState }
  | { readonly refused: Exclude<TokenRefusal, 'expired' | 'reclaimed' | 'redefined'> }

const PREFIX = 'v1.'
/** Lets a later release recognise the tokens of this one. */
const FORMAT = 1
/** A token with listed types, which earlier releases cannot read. */
const LISTED_FORMAT = 2
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
  bytes[0] = state.listedTypes === undefined ? FORMAT : LISTED_FORMAT
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

/**
 * Returns the listed types of a token that this service sealed. They are part of the request that a
 * token is bound to, so they are needed before it can be opened.
 */
export function peekListedTypes(token: string, keys: TokenKeys): readonly number[] | undefined {
  if (token.length > PAGE_TOKEN_MAX_LENGTH) return undefined
  const plain = keys.recall(token) ?? unseal(token, keys)
  return plain && readState(plain).listedTypes
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
  const caller = plain.subarray(AT.caller, AT.expires)
  if (!binding.caller.equals(caller)) {
    const isSameId = binding.caller.compare(caller, 0, CALLER_ID_BYTES, 0, CALLER_ID_BYTES) === 0
    return { refused: isSameId ? 'other rights' : 'other caller' }
  }
  if (!binding.request.equals(plain.subarray(AT.request, AT.caller))) {
    return { refused: 'other request' }
  }
  const state = readState(plain)
  if (plain.readDoubleBE(AT.expires) <= nowSeconds) return { refused: 'expired', expired: state }
  return { state }
}

function unseal(token: string, keys: TokenKeys): Buffer | undefined {
  if (!token.startsWith(PREFIX)) return undefined
  const text = token.slice(PREFIX.length)
  const bytes = Buffer.from(text, 'base64url')
  // Base64 decoders accept several spellings of the same bytes; only the canonical one is valid.
  if (bytes.toString('base64url') !== text) return undefined
  if (bytes.length < HEAD_BYTES + AT.rest + TAG_BYTES) return undefined
  if (bytes[0] !== FORMAT && bytes[0] !== LISTED_FORMAT) return undefined

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
  /** The listed types and the versions, if there are several, and the key. */
  rest: 2 * FINGERPRINT_BYTES + 48,
} as const

/** A number of objects n is encoded as this minus n if listed types precede the versions. */
const LISTED_ZERO = -1

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
  const { snapshot, served } = state
  const versions = encodeVersions(snapshot)
  const listed = encodeListedTypes(state.listedTypes)
  const { pk } = state.after
  const pkAt = AT.rest + listed.length + versions.length
  const plain = Buffer.allocUnsafe(pkAt + Buffer.byteLength(pk))
  binding.request.copy(plain, AT.request)
  binding.caller.copy(plain, AT.caller)
  plain.writeDoubleBE(expiresAtSeconds, AT.expires)
  plain.writeDoubleBE(listed.length > 0 ? LISTED_ZERO - served : served, AT.served)
  plain.writeDoubleBE(versions.length > 0 ? SEVERAL : (snapshot?.version ?? NONE), AT.version)
  plain.writeDoubleBE(snapshot?.takenAtSeconds ?? (state.startedAtMs ?? 0) / 1000, AT.takenAt)
  plain.writeDoubleBE(encodeCount(state), AT.count)
  plain.writeDoubleBE(state.after.version, AT.rowVersion)
  listed.copy(plain, AT.rest)
  versions.copy(plain, AT.rest + listed.length)
  plain.write(pk, pkAt)
  return plain
}

const NOTHING = Buffer.alloc(0)

/** Writes the number of listed types, in one byte, and two bytes for each. */
function encodeListedTypes(listedTypes: readonly number[] | undefined): Buffer {
  if (listedTypes === undefined) return NOTHING
  const bytes = Buffer.allocUnsafe(1 + 2 * listedTypes.length)
  bytes.writeUInt8(listedTypes.length)
  for (const [index, type] of listedTypes.entries()) bytes.writeUInt16BE(type, 1 + 2 * index)
  return bytes
}

function decodeListedTypes(plain: Buffer): number[] {
  const count = plain.readUInt8(AT.rest)
  const first = AT.rest + 1
  return Array.from({ length: count }, (_, index) => plain.readUInt16BE(first + 2 * index))
}

/** Writes the number of versions, in one byte, and the versions; nothing for a single version. */
function encodeVersions(snapshot: SnapshotState | undefined): Buffer {
  if (snapshot?.otherVersions === undefined) return NOTHING
  const versions = [snapshot.version, ...snapshot.otherVersions]
  if (versions.length > 1 + OTHER_VERSIONS_MAX) {
    throw new Error('too many versions for a page token')
  }
  const bytes = Buffer.allocUnsafe(1 + 8 * versions.length)
  bytes.writeUInt8(versions.length)
  for (const [index, version] of versions.entries()) bytes.writeDoubleBE(version, 1 + 8 * index)
  return bytes
}

function decodeVersions(plain: Buffer, at: number): number[] {
  const count = plain.readUInt8(at)
  return Array.from({ length: count }, (_, index) => plain.readDoubleBE(at + 1 + 8 * index))
}

function readState(plain: Buffer): PageState {
  const served = plain.readDoubleBE(AT.served)
  const listedTypes = served < 0 ? decodeListedTypes(plain) : undefined
  const versionsAt = AT.rest + (listedTypes === undefined ? 0 : 1 + 2 * listedTypes.length)
  const snapshot = readSnapshot(plain, versionsAt)
  const others = snapshot?.otherVersions
  const pkAt = versionsAt + (others === undefined ? 0 : 1 + 8 * (1 + others.length))
  return {
    after: { pk: plain.toString('utf8', pkAt), version: plain.readDoubleBE(AT.rowVersion) },
    served: listedTypes === undefined ? served : LISTED_ZERO - served,
    ...decodeCount(plain.readDoubleBE(AT.count)),
    ...(snapshot === undefined
      ? { snapshot, startedAtMs: Math.round(plain.readDoubleBE(AT.takenAt) * 1000) || undefined }
      : { snapshot }),
    ...(listedTypes && { listedTypes }),
  }
}

function readSnapshot(plain: Buffer, versionsAt: number): SnapshotState | undefined {
  const version = plain.readDoubleBE(AT.version)
  if (version === NONE) return undefined
  const takenAtSeconds = plain.readDoubleBE(AT.takenAt)
  if (version !== SEVERAL) return { version, takenAtSeconds }
  const [own = NONE, ...otherVersions] = decodeVersions(plain, versionsAt)
  return { version: own, takenAtSeconds, otherVersions }
}
