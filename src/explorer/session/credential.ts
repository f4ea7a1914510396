/** The token of one sign-in. A token of OAuth is renewed before it expires. */

import type { Tokens } from './oauth.ts'
import type { Renewal } from './shared-renewal.ts'
import { type SignIn, signInOf } from './stored-sign-in.ts'

/** Requests that are sent this long before the end renew the token first. */
const RENEW_BEFORE_MS = 300_000

export interface CredentialOptions {
  readonly renew: (refreshToken: string) => Promise<Tokens>
  /** Called with each renewed sign-in. */
  readonly onRenewed: (signIn: SignIn) => void
  readonly now: () => number
}

export class Credential {
  #signIn: SignIn
  #renewing: Promise<void> | undefined
  readonly #options: CredentialOptions

  constructor(signIn: SignIn, options: CredentialOptions) {
    this.#signIn = signIn
    this.#options = options
  }

  get signIn(): SignIn {
    return this.#signIn
  }

  /** Returns the token to send. If it cannot be renewed, the old one: the service then says why. */
  async readToken(): Promise<string> {
    const { renewal } = this.#signIn
    if (renewal !== undefined && this.#options.now() > renewal.expiresAtMs - RENEW_BEFORE_MS) {
      this.#renewing ??= this.#renew(renewal.refreshToken).finally(() => {
        this.#renewing = undefined
      })
      await this.#renewing
    }
    return this.#signIn.token
  }

  /** Takes over what another tab with the same sign-in renewed. */
  adopt({ usedRefreshToken, tokens }: Renewal): void {
    if (this.#signIn.renewal?.refreshToken === usedRefreshToken) this.#change(tokens)
  }

  async #renew(refreshToken: string): Promise<void> {
    try {
      this.#change(await this.#options.renew(refreshToken))
    } catch {
      // The request that waits is sent with the old token, and reports what is wrong.
    }
  }

  #change(tokens: Tokens): void {
    this.#signIn = signInOf(tokens)
    this.#options.onRenewed(this.#signIn)
  }
}
