/** Tokens of an outside OpenID provider: verified with its public keys, mapped to rights here. */
import { hash } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { OpenIdTokens } from '../access-services.ts'
import type { CallerRights } from '../caller-rights.ts'
import { OAUTH_SCOPES } from '../oauth/oauth-scopes.ts'
import { ProviderKeys } from './provider-keys.ts'

/** How far the clocks of the provider and of this machine may differ. */
const CLOCK_TOLERANCE_SECONDS = 60

/** The end of the year 9999, the last that RFC 3339 can write. Providers may send any number. */
const MAX_EXPIRY_MS = Date.UTC(10_000, 0) - 1

export interface OpenIdOptions {
  readonly issuer: string
  readonly audience: readonly string[]
  readonly algorithms: readonly string[]
  readonly jwksUrl: string | undefined
  readonly scopeClaim: string
  /** What each value of the claim stands for; undefined for the names of the SDKs. */
  readonly scopes: ReadonlyMap<string, Scope> | undefined
  readonly ontologyClaim: string | undefined
  readonly policyClaim: string | undefined
  /** Claims that rules of policies can use. */
  readonly ruleClaims: readonly string[]
  /** The clock, in milliseconds. */
  readonly now: () => number
}

export class OpenIdProvider implements OpenIdTokens {
  readonly #options: OpenIdOptions
  readonly #keys: ProviderKeys

  constructor(options: OpenIdOptions) {
    this.#options = options
    this.#keys = new ProviderKeys(options)
  }

  async verify(token: string): Promise<CallerRights> {
    const { issuer, audience, algorithms, now } = this.#options
    try {
      const { payload } = await jwtVerify(token, (header, jws) => this.#keys.find(header, jws), {
        issuer,
        audience: [...audience],
        algorithms: [...algorithms],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(now()),
        requiredClaims: ['sub', 'exp'],
      })
      return this.#toRights(payload)
    } catch (error) {
      if (error instanceof ObjectQueryError) throw error
      throw new ObjectQueryError('Default:Unauthorized', describeRefusal(error))
    }
  }

  /** The subject is the provider's own id of the person, which is the same in its other programs. */
  #ruleClaims(payload: JWTPayload, subject: string): Record<string, string> {
    const claims: Record<string, string> = { subject }
    for (const name of this.#options.ruleClaims) {
      const value = Object.hasOwn(payload, name) ? payload[name] : undefined
      if (isText(value)) claims[name] = value
    }
    return claims
  }

  #toRights(payload: JWTPayload): CallerRights {
    const { issuer, scopeClaim, scopes = DEFAULT_SCOPES } = this.#options
    const { ontologyClaim, policyClaim } = this.#options
    const { sub, exp = 0 } = payload
    // The library checks only that the claim is present.
    if (!isText(sub)) {
      throw new ObjectQueryError('Default:Unauthorized', { error: 'INVALID_CLAIM', claim: 'sub' })
    }
    const name = [payload['preferred_username'], payload['email'], payload['name'], sub].find(
      isText,
    )
    return {
      // Subjects are unique within their issuer. Hashed, because the log contains caller ids.
      id: `openid.${hash('sha256', JSON.stringify([issuer, sub]), 'hex').slice(0, 32)}`,
      name: name ?? sub,
      scopes: [...new Set(valuesOf(payload, scopeClaim).flatMap((one) => scopes.get(one) ?? []))],
      ontologies: ontologyClaim === undefined ? undefined : valuesOf(payload, ontologyClaim),
      policies: policyClaim === undefined ? undefined : [valuesOf(payload, policyClaim)],
      claims: this.#ruleClaims(payload, sub),
      expiresAtMs: Math.min(1000 * exp, MAX_EXPIRY_MS),
      profile: {
        givenName: textOf(payload['given_name']),
        familyName: textOf(payload['family_name']),
        email: textOf(payload['email']),
      },
    }
  }
}

/**
 * Only `OQS_OIDC_SCOPES` makes people of a provider administrators or auditors, never a scope of that
 * name: the audit log contains keys of all objects.
 */
const MAPPED_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['api:admin', 'api:audit-read'])

const DEFAULT_SCOPES: ReadonlyMap<string, Scope> = new Map(
  Object.entries(OAUTH_SCOPES).filter(([, scope]) => !MAPPED_SCOPES.has(scope)),
)

/** Returns the values of a claim: a list, or a text with spaces between them (RFC 8693, 4.2). */
function valuesOf(payload: JWTPayload, claim: string): readonly string[] {
  const value = Object.hasOwn(payload, claim) ? payload[claim] : followPath(payload, claim)
  if (Array.isArray(value)) return value.filter(isText)
  return isText(value) ? value.split(' ').filter((one) => one !== '') : []
}

function followPath(payload: JWTPayload, path: string): unknown {
  return path.split('.').reduce<unknown>((value, step) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    return isObject ? (value as Record<string, unknown>)[step] : undefined
  }, payload)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function textOf(value: unknown): string | undefined {
  return isText(value) ? value : undefined
}

/** Says what is wrong with a token, without repeating any of it. */
function describeRefusal(error: unknown): Readonly<Record<string, string>> {
  if (error instanceof errors.JWTExpired) return { error: 'EXPIRED' }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return { error: 'INVALID_CLAIM', claim: error.claim }
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return { error: 'ALGORITHM_NOT_ALLOWED' }
  if (error instanceof errors.JWKSNoMatchingKey) return { error: 'UNKNOWN_KEY' }
  return { error: 'INVALID_TOKEN' }
}
