import { createHmac, hash } from 'node:crypto'

/**
 * The keys of page tokens: the first seals, all open, so that a key can be added on every node
 * before it is used and dropped when its last token has expired.
 */

export const KEY_BYTES = 32
export const KEY_ID_BYTES = 4
/** Random bytes that make the key of one token. */
export const SALT_BYTES = 12

export interface TokenKey {
  /** Tells which key sealed a token, without telling anything about the key. */
  readonly id: Buffer
  readonly secret: Buffer
}

export interface TokenKeys {
  readonly sealing: TokenKey
  readonly opening: readonly TokenKey[]
}

/** Keys of 32 bytes, the sealing one first. */
export function tokenKeys(secrets: readonly Uint8Array[]): TokenKeys {
  const opening = secrets.map(tokenKey)
  const [sealing] = opening
  if (sealing === undefined) throw new Error('there must be at least one page token key')
  return { sealing, opening }
}

function tokenKey(bytes: Uint8Array): TokenKey {
  const secret = Buffer.from(bytes)
  if (secret.length !== KEY_BYTES) throw new Error(`a page token key has ${KEY_BYTES} bytes`)
  const digest = hash(
    'sha256',
    Buffer.concat([Buffer.from('page-token-key-id:'), secret]),
    'buffer',
  )
  return { id: digest.subarray(0, KEY_ID_BYTES), secret }
}

/**
 * The key of a single token. A random nonce of 96 bits would be too short for the number of tokens
 * that a busy service seals with one key; a fresh key for each token lifts that bound.
 */
export function singleTokenKey(key: TokenKey, salt: Uint8Array): Buffer {
  return createHmac('sha256', key.secret).update(salt).digest()
}
