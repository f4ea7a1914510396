/**
 * Page tokens: sealed, so that a client can neither read nor change them, and bound to one request
 * and one caller [2.1.5]. The token carries the whole state of a walk; the server keeps none.
 *
 *     v1.BASE64URL( format 1 | key id 4 | salt 16 | nonce 12 | sealed state | tag 16 )
 */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { PAGE_TOKEN_MAX_LENGTH } from '../contract/limits.ts'
import type { Cursor } from './cursor.ts'
import { KEY_ID_BYTES, NONCE_BYTES, SALT_BYTES, type TokenKeys } from './token-keys.ts'

/** The state of a walk between two pages. */
export interface PageState {
  /** The next page starts strictly after this row. */
  readonly after: Cursor
  /** Objects before the next page; compared with the cross-page limit. */
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
  /** The walk of a slice ends when this many objects are before the next page. */
  readonly end?: number | undefined
  /** Whether earlier pages are of another moment, so that the walk is no complete snapshot. */
  readonly isContinued?: boolean | undefined
}

/** The versions that all pages of a snapshot walk read, and when they were taken. */
export interface SnapshotState {
  readonly version: number
  readonly takenAtSeconds: number
  /** The versions of other types that the pages read, in an order that the request determines. */
  readonly otherVersions?: readonly number[]
}

export const FINGERPRINT_BYTES = 16
/** The half of a caller's fingerprint that does not depend on its rights. */
export const CALLER_ID_BYTES = FINGERPRINT_BYTES / 2

/**
 * The fingerprints of the request and the caller that a token is valid for: "the rest of the request
 * is repeated unchanged" [4.1.1].
 */
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
  | 'future'

export type OpenedToken =
  | { readonly state: PageState }
  | { readonly refused: 'expired'; readonly expired: PageState }
  | { readonly refused: Exclude<TokenRefusal, 'expired' | 'reclaimed' | 'redefined' | 'future'> }

const PREFIX = 'v1.'
/** Distinguishes tokens whose state is written differently. */
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
  keys.keepOpened(token, plain)
  return token
}

/**
 * Returns the listed types of a token that this service sealed. They are part of the request that a
 * token is bound to, so they are needed before it can be opened.
 */
export function peekListedTypes(token: string, keys: TokenKeys): readonly number[] | undefined {
  if (token.length > PAGE_TOKEN_MAX_LENGTH) return undefined
  const plain = keys.findOpened(token) ?? unseal(token, keys)
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
  const plain = keys.findOpened(token) ?? unseal(token, keys)
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
  if (bytes.length < HEAD_BYTES + MIN_STATE_BYTES + TAG_BYTES) return undefined
  if (bytes[0] !== FORMAT) return undefined

  const id = bytes.subarray(1, SALT_AT)
  const salt = bytes.subarray(SALT_AT, NONCE_AT)
  const plain = keys.open(id, salt, (key) => unsealWith(bytes, key))
  if (plain !== undefined) keys.keepOpened(token, plain)
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

/**
 * Offsets in the sealed state. After the flags follow numbers: those of every state, then those of
 * the parts that the flags name, in the order of `HAS`. The key is last.
 */
const AT = {
  request: 0,
  caller: FINGERPRINT_BYTES,
  expires: 2 * FINGERPRINT_BYTES,
  flags: 2 * FINGERPRINT_BYTES + 8,
  numbers: 2 * FINGERPRINT_BYTES + 9,
} as const
/** Numbers are doubles: fixed width, and exact up to 2^53. */
const NUMBER_BYTES = 8
const MIN_STATE_BYTES = AT.numbers + 2 * NUMBER_BYTES

/** Flags for the optional parts of a state. */
const HAS = {
  totalCount: 1,
  matchEstimate: 2,
  snapshot: 4,
  startedAt: 8,
  /** Their number, then the versions. */
  otherVersions: 16,
  /** Their number in one byte, then each in two bytes: there can be many. */
  listedTypes: 32,
  end: 64,
  /** The flag is the value. */
  isContinued: 128,
} as const

/** Keeps tokens within their maximum length. */
export const OTHER_VERSIONS_MAX = 14

function writeState(state: PageState, binding: TokenBinding, expiresAtSeconds: number): Buffer {
  const { after, served, totalCount, matchEstimate, snapshot, startedAtMs, listedTypes } = state
  const { end, isContinued } = state
  const others = snapshot?.otherVersions
  if (others !== undefined && others.length > OTHER_VERSIONS_MAX) {
    throw new Error('too many versions for a page token')
  }
  let flags = 0
  const numbers = [served, after.version]
  const add = (flag: number, ...values: readonly number[]) => {
    flags |= flag
    numbers.push(...values)
  }
  if (totalCount !== undefined) add(HAS.totalCount, totalCount)
  else if (matchEstimate !== undefined) add(HAS.matchEstimate, matchEstimate)
  if (snapshot !== undefined) add(HAS.snapshot, snapshot.version, snapshot.takenAtSeconds)
  else if (startedAtMs !== undefined) add(HAS.startedAt, startedAtMs)
  if (others !== undefined) add(HAS.otherVersions, others.length, ...others)
  if (listedTypes !== undefined) add(HAS.listedTypes)
  if (end !== undefined) add(HAS.end, end)
  if (isContinued) add(HAS.isContinued)

  const listedAt = AT.numbers + NUMBER_BYTES * numbers.length
  const pkAt = listedAt + (listedTypes === undefined ? 0 : 1 + 2 * listedTypes.length)
  const plain = Buffer.allocUnsafe(pkAt + Buffer.byteLength(after.pk))
  binding.request.copy(plain, AT.request)
  binding.caller.copy(plain, AT.caller)
  plain.writeDoubleBE(expiresAtSeconds, AT.expires)
  plain.writeUInt8(flags, AT.flags)
  for (const [index, number] of numbers.entries()) {
    plain.writeDoubleBE(number, AT.numbers + NUMBER_BYTES * index)
  }
  if (listedTypes !== undefined) {
    plain.writeUInt8(listedTypes.length, listedAt)
    for (const [index, type] of listedTypes.entries()) {
      plain.writeUInt16BE(type, listedAt + 1 + 2 * index)
    }
  }
  plain.write(after.pk, pkAt)
  return plain
}

function readState(plain: Buffer): PageState {
  const flags = plain.readUInt8(AT.flags)
  const has = (flag: number) => (flags & flag) !== 0
  let at = AT.numbers
  const next = () => {
    at += NUMBER_BYTES
    return plain.readDoubleBE(at - NUMBER_BYTES)
  }
  const served = next()
  const version = next()
  const totalCount = has(HAS.totalCount) ? next() : undefined
  const matchEstimate = has(HAS.matchEstimate) ? next() : undefined
  const taken = has(HAS.snapshot) ? { version: next(), takenAtSeconds: next() } : undefined
  const startedAtMs = has(HAS.startedAt) ? next() : undefined
  const otherVersions = has(HAS.otherVersions) ? Array.from({ length: next() }, next) : undefined
  const end = has(HAS.end) ? next() : undefined
  const isContinued = has(HAS.isContinued) ? true : undefined
  const snapshot = taken && { ...taken, ...(otherVersions && { otherVersions }) }
  let listedTypes: readonly number[] | undefined
  if (has(HAS.listedTypes)) {
    const first = at + 1
    listedTypes = Array.from({ length: plain.readUInt8(at) }, (_, index) =>
      plain.readUInt16BE(first + 2 * index),
    )
    at = first + 2 * listedTypes.length
  }
  const after = { pk: plain.toString('utf8', at), version }
  const counts = { served, totalCount, matchEstimate, end }
  return { after, ...counts, snapshot, startedAtMs, listedTypes, isContinued }
}
