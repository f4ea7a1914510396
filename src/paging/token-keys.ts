import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/**
 * The keys of page tokens: the first seals, all open, so that a key can be added on every node
 * before it is used and dropped when its last token has expired.
 *
 * No configured key seals by itself. Every process derives a key of its own from it and a random
 * salt, and counts its nonces: however many tokens are sealed, no nonce meets the same key twice.
 */

export const KEY_BYTES = 32
export const KEY_ID_BYTES = 4
/** Random bytes that make the sealing key of one process. */
export const SALT_BYTES = 16
export const NONCE_BYTES = 12
/** More tokens than a process can seal in a thousand years. */
const COUNTER_BYTES = 6

/** Tokens whose contents are kept: those that were just sealed come back with the next page. */
const OPENED_TOKENS_KEPT = 4096

/** Derived keys that are kept: one for each process whose tokens are about, and some to spare. */
const DERIVED_KEYS_KEPT = 256

interface MasterKey {
  /** Tells which key sealed a token, without telling anything about the key. */
  readonly id: Buffer
  readonly secret: KeyObject
}

export class TokenKeys {
  readonly #masters: readonly [MasterKey, ...MasterKey[]]
  readonly #salt: Buffer
  readonly #sealingKey: KeyObject
  readonly #sealingId: string
  /** Only keys that have opened a token are kept: made-up tokens must not push them out. */
  readonly #proven = new LRUCache<string, KeyObject>({ max: DERIVED_KEYS_KEPT })
  readonly #opened = new LRUCache<string, Buffer>({ max: OPENED_TOKENS_KEPT })
  #sealed = 0

  /** Keys of 32 bytes, the sealing one first, and the random salt of this process. */
  constructor(secrets: readonly Uint8Array[], salt: Buffer) {
    const [first, ...others] = secrets.map(masterKey)
    if (first === undefined) throw new Error('there must be at least one page token key')
    if (salt.length !== SALT_BYTES) throw new Error(`the salt has ${SALT_BYTES} bytes`)
    this.#masters = [first, ...others]
    this.#salt = salt
    this.#sealingKey = derive(first, salt)
    this.#sealingId = first.id.toString('base64url')
  }

  /** Tells which key seals, without telling anything about it. */
  get sealingId(): string {
    return this.#sealingId
  }

  /** Writes key id, salt and nonce of the next token, and gives the key that seals it. */
  nextSeal(into: Buffer, at: number): KeyObject {
    this.#sealed += 1
    const saltAt = at + KEY_ID_BYTES
    const nonceAt = saltAt + SALT_BYTES
    this.#masters[0].id.copy(into, at)
    this.#salt.copy(into, saltAt)
    into.fill(0, nonceAt, nonceAt + NONCE_BYTES)
    into.writeUIntBE(this.#sealed, nonceAt + NONCE_BYTES - COUNTER_BYTES, COUNTER_BYTES)
    return this.#sealingKey
  }

  /** Remembers what a proven token holds. */
  remember(token: string, plain: Buffer): void {
    this.#opened.set(token, plain)
  }

  /** What a token holds that was sealed or opened here a short while ago. */
  recall(token: string): Buffer | undefined {
    return this.#opened.get(token)
  }

  /** Tries the keys that a token with this id and salt can have been sealed with. */
  open(
    id: Buffer,
    salt: Buffer,
    unseal: (key: KeyObject) => Buffer | undefined,
  ): Buffer | undefined {
    for (const master of this.#masters) {
      if (!master.id.equals(id)) continue
      const name = Buffer.concat([master.id, salt]).toString('latin1')
      const key = this.#proven.get(name) ?? derive(master, salt)
      const plain = unseal(key)
      if (plain === undefined) continue
      this.#proven.set(name, key)
      return plain
    }
    return undefined
  }
}

function derive(master: MasterKey, salt: Buffer): KeyObject {
  return createSecretKey(createHmac('sha256', master.secret).update(salt).digest())
}

function masterKey(bytes: Uint8Array): MasterKey {
  const secret = Buffer.from(bytes)
  if (secret.length !== KEY_BYTES) throw new Error(`a page token key has ${KEY_BYTES} bytes`)
  const digest = hash(
    'sha256',
    Buffer.concat([Buffer.from('page-token-key-id:'), secret]),
    'buffer',
  )
  return { id: digest.subarray(0, KEY_ID_BYTES), secret: createSecretKey(secret) }
}
