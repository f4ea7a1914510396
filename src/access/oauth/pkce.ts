/** Proof keys: a code is useless without the verifier that its challenge was made of (RFC 7636). */
import { hash, timingSafeEqual } from 'node:crypto'
import { OAuthError } from './oauth-error.ts'

/** The unpadded base64url form of a SHA-256 hash. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** Reads the challenge of an authorization request. Public clients must send one. */
export function readChallenge(
  parameters: Readonly<Record<string, string>>,
  isRequired: boolean,
): string | undefined {
  const { code_challenge: challenge, code_challenge_method: method = 'plain' } = parameters
  if (challenge === undefined) {
    if (!isRequired) return undefined
    throw new OAuthError('invalid_request', 'code_challenge is missing.')
  }
  if (method !== 'S256') {
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.')
  }
  if (!CHALLENGE.test(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge must be a SHA-256 hash in base64url.')
  }
  return challenge
}

/** Throws `invalid_grant` if the verifier does not belong to the challenge of the code. */
export function checkVerifier(challenge: string | undefined, verifier: string | undefined): void {
  if (challenge === undefined) {
    if (verifier === undefined) return
    throw new OAuthError('invalid_grant', 'The code was requested without a code_challenge.')
  }
  if (verifier === undefined) throw new OAuthError('invalid_request', 'code_verifier is missing.')
  const actual = VERIFIER.test(verifier) ? hash('sha256', verifier, 'base64url') : ''
  const isSame =
    actual.length === challenge.length &&
    timingSafeEqual(Buffer.from(actual), Buffer.from(challenge))
  if (!isSame) {
    throw new OAuthError('invalid_grant', 'code_verifier does not belong to this code.')
  }
}
