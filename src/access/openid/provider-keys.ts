/**
 * The public keys of an OpenID provider. They are read when they are first needed, again when a
 * token names an unknown key, and periodically. While the provider is down, known keys keep
 * working.
 */
import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose'
import { ObjectQueryError } from '../../contract/errors.ts'
import { isJsonObject } from '../../ontology/json-object.ts'

/** Keys are read again after this long, so that withdrawn ones stop working. */
const REFRESH_MS = 600_000
/** Without the provider, keys work for this long. */
const MAX_AGE_MS = 24 * 3_600_000
/** The least time between two reads, however many tokens name unknown keys. */
const COOLDOWN_MS = 30_000
const TIMEOUT_MS = 5000
/** Larger than any real list of keys. More would block the main thread while it is parsed. */
const MAX_BYTES = 1024 * 1024

export interface ProviderKeysOptions {
  readonly issuer: string
  readonly jwksUrl: string | undefined
  /** The clock, in milliseconds. */
  readonly now: () => number
}

interface KnownKeys {
  readonly find: ReturnType<typeof createLocalJWKSet>
  readonly readAtMs: number
}

export class ProviderKeys {
  readonly #options: ProviderKeysOptions
  #known: KnownKeys | undefined
  #reading: Promise<void> | undefined
  #lastAttemptMs = -Infinity
  #lastError: unknown

  constructor(options: ProviderKeysOptions) {
    this.#options = options
  }

  /** Returns the key of a token. Throws `ServiceUnavailable` if no keys can be read. */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput) {
    const known = await this.#current()
    try {
      return await known.find(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.#mayRead()) throw error
      await this.#read()
      return await (await this.#current()).find(header, token)
    }
  }

  async #current(): Promise<KnownKeys> {
    const ageMs = this.#options.now() - (this.#known?.readAtMs ?? -Infinity)
    if (ageMs >= REFRESH_MS && this.#mayRead()) await this.#read()
    const { readAtMs = -Infinity } = this.#known ?? {}
    if (this.#known === undefined || this.#options.now() - readAtMs >= MAX_AGE_MS) {
      const reason = 'The OpenID provider cannot be reached.'
      const retryAfterSeconds = COOLDOWN_MS / 1000
      throw new ObjectQueryError(
        'ServiceUnavailable',
        { reason, retryAfterSeconds },
        { cause: this.#lastError },
      )
    }
    return this.#known
  }

  #mayRead(): boolean {
    return this.#reading !== undefined || this.#options.now() - this.#lastAttemptMs >= COOLDOWN_MS
  }

  /** Reads the keys; concurrent requests share one attempt. A failure leaves the known keys. */
  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    this.#lastAttemptMs = this.#options.now()
    try {
      const keys = await fetchJson(this.#options.jwksUrl ?? (await this.#discover()))
      const find = createLocalJWKSet(keys as JSONWebKeySet)
      this.#known = { find, readAtMs: this.#lastAttemptMs }
      this.#lastError = undefined
    } catch (error) {
      this.#lastError = error
    }
  }

  /** Returns the URL of the keys from the discovery document of the provider. */
  async #discover(): Promise<string> {
    const { issuer } = this.#options
    const base = issuer.replace(/\/$/, '')
    const document = await fetchJson(`${base}/.well-known/openid-configuration`)
    if (!isJsonObject(document) || document['issuer'] !== issuer) {
      throw new Error(`the discovery document names another issuer than OQS_OIDC_ISSUER ${issuer}`)
    }
    return String(document['jwks_uri'])
  }
}

async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`)
  return JSON.parse(await readText(url, response))
}

/** Reads a body of limited size. Leaving the loop early cancels the rest. */
async function readText(url: string, { body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
