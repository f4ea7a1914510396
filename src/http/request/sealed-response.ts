/**
 * Responses with a secret, as they are recorded for an idempotency key. The key that seals one is
 * derived from the bearer token of its request, which the store does not have: a repeated request
 * brings the token again, and a copy of the database opens nothing.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { KeyedRequest } from './idempotency-key.ts'
import { readSession } from './session-cookie.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16

interface SealedNote {
  /** The id of what the request has created. */
  readonly created: string
  readonly sealed: string
}

/** Seals the response of a request that has created something with a secret. */
export async function sealNote(
  request: KeyedRequest,
  response: string,
  created: string,
): Promise<string> {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)]
  const cipher = createCipheriv(CIPHER, await deriveKey(request, salt), nonce)
  const parts = [salt, nonce, cipher.update(response), cipher.final(), cipher.getAuthTag()]
  const note: SealedNote = { created, sealed: Buffer.concat(parts).toString('base64') }
  return JSON.stringify(note)
}

/**
 * Returns the response. Throws `SecretNotRepeatable` if the caller sends another bearer token by now,
 * such as a renewed one of an OpenID provider.
 */
export async function openNote(request: KeyedRequest, note: string): Promise<string> {
  const { created, sealed } = JSON.parse(note) as SealedNote
  const bytes = Buffer.from(sealed, 'base64')
  const start = SALT_BYTES + NONCE_BYTES
  const key = await deriveKey(request, bytes.subarray(0, SALT_BYTES))
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(SALT_BYTES, start))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const opened = [decipher.update(bytes.subarray(start, -TAG_BYTES)), decipher.final()]
    return Buffer.concat(opened).toString()
  } catch {
    throw new ObjectQueryError('SecretNotRepeatable', { parameter: 'Idempotency-Key', created })
  }
}

/** Derives a key slowly, because an administrator may have chosen a token that can be guessed. */
async function deriveKey({ headers }: KeyedRequest, salt: Buffer): Promise<Buffer> {
  const secret = headers.authorization ?? readSession(headers) ?? ''
  return (await promisify(scrypt)(secret, salt, KEY_BYTES)) as Buffer
}
