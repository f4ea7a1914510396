import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from './config.ts'
import { openIdProviderOf } from './server.ts'

describe('the settings of access', () => {
  it.each([
    ['OQS_CORS_ORIGINS', '*', '*'],
    ['OQS_CORS_ORIGINS', 'https://a.example, http://localhost:3000', undefined],
    ['OQS_OIDC_ISSUER', 'https://login.example.com/realms/main', undefined],
    ['OQS_OIDC_ISSUER', 'http://localhost:8081', undefined],
    ['OQS_OIDC_ALGORITHMS', 'RS256,EdDSA', undefined],
    ['OQS_OIDC_SCOPE_CLAIM', 'https://example.com/roles', undefined],
    ['OQS_OIDC_SCOPES', 'a b=api:ontologies-read,c=api:ontologies-write', undefined],
  ] as const)('%s may be %s', (name, text, expected) => {
    const value = readConfig({ [name]: text })[name]
    expect(value).toEqual(expected ?? expect.anything())
  })

  it.each([
    ['OQS_CORS_ORIGINS', 'app.example.com'],
    ['OQS_CORS_ORIGINS', 'https://app.example.com/'],
    ['OQS_CORS_ORIGINS', 'https://a.example,'],
    ['OQS_CORS_ORIGINS', 'https://a.example,*'],
    ['OQS_OIDC_ISSUER', 'http://login.example.com'],
    ['OQS_OIDC_ISSUER', 'https://user@login.example.com'],
    ['OQS_OIDC_ISSUER', 'https://login.example.com/?x=1'],
    ['OQS_OIDC_JWKS_URL', 'keys.json'],
    ['OQS_OIDC_AUDIENCE', ','],
    ['OQS_OIDC_ALGORITHMS', 'HS256'],
    ['OQS_OIDC_ALGORITHMS', 'none'],
    ['OQS_OIDC_SCOPE_CLAIM', 'a b'],
    ['OQS_OIDC_SCOPES', 'reader'],
    ['OQS_OIDC_SCOPES', 'reader=everything'],
    ['OQS_OIDC_SCOPES', '=api:ontologies-read'],
  ])('%s may not be %s', (name, text) => {
    expect(() => readConfig({ [name]: text })).toThrow(`${name} is `)
  })

  it('name the missing part of a provider', async () => {
    const provider = (settings: Record<string, string>) =>
      openIdProviderOf(readConfig(settings), () => 0)
    expect(await provider({})).toBeUndefined()
    const issuer = { OQS_OIDC_ISSUER: 'https://login.example.com' }
    await expect(provider(issuer)).rejects.toThrow(ConfigError)
    await expect(provider(issuer)).rejects.toThrow(
      /^OQS_OIDC_ISSUER is set, but OQS_OIDC_AUDIENCE is not/,
    )
    await expect(provider({ OQS_OIDC_AUDIENCE: 'x' })).rejects.toThrow(
      /^OQS_OIDC_AUDIENCE is set, but/,
    )
    expect(await provider({ ...issuer, OQS_OIDC_AUDIENCE: 'x' })).toBeDefined()
  })
})
