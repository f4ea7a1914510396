import { describe, expect, it } from 'vitest'
import {
  Credential,
  listenForRenewals,
  renewForAllTabs,
  type SignIn,
  signInOf,
} from './credential.ts'
import { authorizeAddress, challengeOf, readAnswer, type Tokens } from './oauth.ts'

describe('the sign-in page', () => {
  const pending = { state: 's', verifier: 'v', returnTo: '/o/shop' }

  it('is asked with a proof key and our own address', async () => {
    // The example of RFC 7636, appendix B.
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    expect(await challengeOf(verifier)).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
    const address = await authorizeAddress({ ...pending, verifier }, 'https://objects.example.com')
    const { pathname, searchParams } = new URL(address, 'https://objects.example.com')
    expect(pathname).toBe('/multipass/api/oauth2/authorize')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'explorer',
      redirect_uri: 'https://objects.example.com/',
      state: 's',
      code_challenge_method: 'S256',
    })
    expect(address).not.toContain(verifier)
  })

  const answer = (text: string) => ({ parameters: new URLSearchParams(text), pending })

  it('answers with a code', () => {
    expect(readAnswer(answer('code=c&state=s'))).toEqual({ code: 'c', verifier: 'v' })
  })

  it.each([
    ['code=c&state=other', /another sign-in/],
    ['error=access_denied&state=s', /did not allow/],
    ['error=x&error_description=Why.&state=s', /Why\./],
  ])('is not believed, or has refused: %s', (text, message) => {
    expect(() => readAnswer(answer(text))).toThrow(message)
  })

  it('cannot start a sign-in that nobody asked for', () => {
    const parameters = new URLSearchParams('code=c&state=s')
    expect(() => readAnswer({ parameters, pending: undefined })).toThrow(/another sign-in/)
  })
})

describe('a credential', () => {
  const tokens = (name: string, expiresAtMs: number): Tokens => ({
    accessToken: `access ${name}`,
    refreshToken: `refresh ${name}`,
    expiresAtMs,
  })
  const HOUR_MS = 3_600_000

  it('is renewed once, shortly before it expires', async () => {
    let now = 0
    const used: string[] = []
    const renewed: SignIn[] = []
    const credential = new Credential(signInOf(tokens('1', HOUR_MS)), {
      now: () => now,
      renew: async (refreshToken) => {
        used.push(refreshToken)
        return tokens('2', 2 * HOUR_MS)
      },
      onRenewed: (signIn) => renewed.push(signIn),
    })
    expect(await credential.readToken()).toBe('access 1')
    now = HOUR_MS - 1000
    const read = await Promise.all([credential.readToken(), credential.readToken()])
    expect(read).toEqual(['access 2', 'access 2'])
    expect(used).toEqual(['refresh 1'])
    expect(renewed).toEqual([credential.signIn])
    expect(await credential.readToken()).toBe('access 2')
  })

  it('is renewed by one tab for all tabs that have a copy of it', async () => {
    const renewals: SignIn[] = []
    const other = Promise.withResolvers<void>()
    const copy = new Credential(signInOf(tokens('1', HOUR_MS)), {
      now: () => HOUR_MS,
      renew: async () => Promise.reject(new Error('renewed twice')),
      onRenewed: (signIn) => {
        renewals.push(signIn)
        other.resolve()
      },
    })
    const stop = listenForRenewals((renewal) => copy.adopt(renewal))
    await renewForAllTabs('refresh of another person', async () => tokens('other', HOUR_MS))
    await renewForAllTabs('refresh 1', async () => tokens('2', 3 * HOUR_MS))
    await other.promise
    stop()
    expect(renewals).toEqual([signInOf(tokens('2', 3 * HOUR_MS))])
    expect(await copy.readToken()).toBe('access 2')
  })

  it('keeps its token if it cannot be renewed, and if it was typed', async () => {
    const options = {
      now: () => HOUR_MS,
      renew: async () => Promise.reject(new Error('no connection')),
      onRenewed: () => {},
    }
    const expired = new Credential(signInOf(tokens('1', HOUR_MS)), options)
    expect(await expired.readToken()).toBe('access 1')
    const typed = new Credential({ token: 'typed', origin: 'typed' }, options)
    expect(await typed.readToken()).toBe('typed')
  })
})
