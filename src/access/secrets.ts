/** Secrets: bearer tokens, codes and the secrets of OAuth clients. Only their hashes are stored. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32

/** Returns a new secret. The prefix lets people and secret scanners recognise a leaked one. */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64url')
}

/** Hashes a secret. Secrets are long and random, so a fast hash is as safe as a slow one. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Compares two hashes of `hashSecret` in constant time. */
export function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
