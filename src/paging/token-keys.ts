/**
 * The keys of page tokens. The first key seals and all of them open, so that a key can be added on
 * every node before it seals, and removed after its last token has expired.
 *
 * A configured key never seals directly. Each process derives its own key from it with a random
 * salt, and counts its nonces, so no nonce is ever used twice with the same key.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'

export const KEY_BYTES = 32
export const KEY_ID_BYTES = 4
/** Random bytes from which a process derives its sealing key. */
export const SALT_BYTES = 16
export const NONCE_BYTES = 12
/** More tokens than a process can seal in a thousand years. */
const COUNTER_BYTES = 6

/** The number of decrypted tokens to cache: a token just sealed returns with the next request. */
const OPENED_TOKENS_KEPT = 4096

/** The number of derived keys to cache: one per process whose tokens are in use, with spare room. */
const DERIVED_KEYS_KEPT = 256

/** The characters of a keyed hash: 132 of its 256 bits. */
const HASH_LENGTH = 22

interface MasterKey {
  /** Identifies the key that sealed a token, without revealing anything about it. */
  readonly id: Buffer
  readonly secret: KeyObject
}

export class TokenKeys {
  readonly #masters: readonly [MasterKey, ...MasterKey[]]
  /** The key id, the salt and an empty nonce. */
  readonly #head: Buffer
  readonly #sealingKey: KeyObject
  readonly #sealingId: string
  /** The same in every process with this sealing key. */
  readonly #hashKey: KeyObject
  /** Only keys that opened a token are cached, so that forged tokens cannot evict them. */
  readonly #proven = new LRUCache<string, KeyObject>({ max: DERIVED_KEYS_KEPT })
  readonly #opened = new LRUCache<string, Buffer>({ max: OPENED_TOKENS_KEPT })
  #sealed = 0

  /** Takes keys of 32 bytes, the sealing one first, and the random salt of this process. */
  constructor(secrets: readonly Uint8Array[], salt: Buffer) {
    const [first, ...others] = secrets.map(masterKey)
    if (first === undefined) throw new Error('At least one page token key is required.')
    if (salt.length !== SALT_BYTES) throw new Error(`The salt must have ${SALT_BYTES} bytes.`)
    this.#masters = [first, ...others]
    this.#head = Buffer.concat([first.id, salt, Buffer.alloc(NONCE_BYTES)])
    this.#sealingKey = derive(first, salt)
    this.#sealingId = first.id.toString('base64url')
    this.#hashKey = derive(first, Buffer.from('entity tags'))
  }

  /** Identifies the sealing key, without revealing anything about it. */
  get sealingId(): string {
    return this.#sealingId
  }

  /** Returns a hash that nobody can compute without the sealing key. */
  keyedHash(text: string): string {
    const digest = createHmac('sha256', this.#hashKey).update(text).digest('base64url')
    return digest.slice(0, HASH_LENGTH)
  }

  /** Writes the key id, salt and nonce of the next token, and returns the key that seals it. */
  nextSeal(into: Buffer, at: number): KeyObject {
    this.#sealed += 1
    this.#head.copy(into, at)
    into.writeUIntBE(this.#sealed, at + this.#head.length - COUNTER_BYTES, COUNTER_BYTES)
    return this.#sealingKey
  }

  /** Caches the decrypted state of an authenticated token. */
  keepOpened(token: string, plain: Buffer): void {
    this.#opened.set(token, plain)
  }

  /** Returns the cached state of a token that this process sealed or opened recently. */
  findOpened(token: string): Buffer | undefined {
    return this.#opened.get(token)
  }

  /** Calls `unseal` with each key that may have sealed a token with this id and salt. */
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

function derive(master: MasterKey, salt: Uint8Array): KeyObject {
  return createSecretKey(createHmac('sha256', master.secret).update(salt).digest())
}

function masterKey(bytes: Uint8Array): MasterKey {
  const secret = Buffer.from(bytes)
  if (secret.length !== KEY_BYTES) throw new Error(`A page token key must have ${KEY_BYTES} bytes.`)
  const digest = hash(
    'sha256',
    Buffer.concat([Buffer.from('page-token-key-id:'), secret]),
    'buffer',
  )
  return { id: digest.subarray(0, KEY_ID_BYTES), secret: createSecretKey(secret) }
}
