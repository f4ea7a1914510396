import { describe, expect, it } from 'vitest'
import { failure } from '../../test/support/parsed-queries.ts'
import type { ApiToken } from '../store/object-store.ts'
import { ADMIN, callerOfToken, refuseExpired, requireScope, toCaller } from './caller-rights.ts'
import { hashSecret, sameHash } from './credentials.ts'

const TOKEN: ApiToken = {
  id: 'token-1',
  name: 'ci',
  scopes: ['api:ontologies-read', 'api:audit-read'],
  ontologies: ['travel', 'ri.ontology.main.ontology.staff'],
  policies: [['own']],
  createdAtMs: 1,
  expiresAtMs: 100,
  revokedAtMs: undefined,
}
const issuedTo = (subjectId: string | undefined): ApiToken => ({
  ...TOKEN,
  issue: { clientId: 'client-1', grantId: undefined, subjectId },
})
const refused = (error: string) => failure('Default:Unauthorized', { error })

describe('the caller of a token', () => {
  it('has the rights of the token', () => {
    const { mayUse, maySee, mayAdminister, ...caller } = callerOfToken(TOKEN, 99)
    expect(caller).toEqual({
      id: 'token-1',
      name: 'ci',
      scopes: TOKEN.scopes,
      ontologies: TOKEN.ontologies,
      policies: [['own']],
      expiresAtMs: 100,
      credential: { kind: 'apiToken', tokenId: 'token-1', clientId: undefined },
    })
  })

  it.each([
    ['a token', TOKEN, 'token-1', undefined, undefined],
    ['a client', issuedTo(undefined), 'client-1', undefined, 'client-1'],
    ['a client for a person', issuedTo('ada'), 'client-1.ada', 'ada', 'client-1'],
  ])('is identified by %s', (_, token, id, userId, clientId) => {
    const caller = callerOfToken(token, 0)
    expect(caller).toMatchObject({ id, credential: { tokenId: 'token-1' } })
    expect(caller.userId).toBe(userId)
    expect(caller.credential).toMatchObject({ kind: 'apiToken', clientId })
  })

  it.each([
    ['is unknown', undefined, 0, 'UNKNOWN'],
    ['was revoked', { ...TOKEN, revokedAtMs: 0 }, 0, 'REVOKED'],
    ['was revoked and has expired', { ...TOKEN, revokedAtMs: 0 }, 100, 'REVOKED'],
    ['has expired', TOKEN, 100, 'EXPIRED'],
  ])('is refused if the token %s', (_, token, nowMs, error) => {
    expect(() => callerOfToken(token, nowMs)).toThrow(refused(error))
  })

  it('is not refused before it expires, nor if it never does', () => {
    expect(() => refuseExpired({ expiresAtMs: 100 }, 99)).not.toThrow()
    expect(() => refuseExpired({ expiresAtMs: undefined }, Infinity)).not.toThrow()
  })
})

describe('a caller', () => {
  const caller = callerOfToken(TOKEN, 0)

  it.each([
    ['api:ontologies-read', undefined],
    [['api:admin', 'api:audit-read'], undefined],
    ['api:admin', 'api:admin'],
    [['api:admin', 'api:metrics-read'], 'api:admin'],
  ] as const)('needs one of the scopes %j', (scopes, missingScope) => {
    const check = () => requireScope(caller, scopes)
    if (missingScope === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(failure('ApiUsageDenied', { missingScope }))
  })

  it('sees the ontologies of its token, by name and by RID', () => {
    const sees = ({ maySee }: typeof caller) =>
      ['travel', 'staff', 'hidden'].filter((apiName) =>
        maySee({ apiName, rid: `ri.ontology.main.ontology.${apiName}` }),
      )
    expect(sees(caller)).toEqual(['travel', 'staff'])
    expect(sees(ADMIN)).toEqual(['travel', 'staff', 'hidden'])
    expect(sees(toCaller({ ...TOKEN, ontologies: [] }, { kind: 'openId' }))).toEqual([])
  })

  it('administers no ontology until its policies are read', () => {
    const mayAdminister = (policies: ApiToken['policies']) =>
      toCaller({ ...TOKEN, policies }, { kind: 'openId' }).mayAdminister({ rid: 'x' })
    expect([mayAdminister(undefined), mayAdminister([])]).toEqual([true, false])
  })

  it('with the admin token may do everything', () => {
    expect(ADMIN).toMatchObject({
      id: 'admin',
      name: 'admin',
      credential: { kind: 'adminToken' },
      scopes: [
        'api:ontologies-read',
        'api:ontologies-write',
        'api:metrics-read',
        'api:audit-read',
        'api:admin',
      ],
    })
    expect(ADMIN.mayAdminister({ rid: 'x' })).toBe(true)
  })
})

describe('a secret', () => {
  it('is compared by its hash', () => {
    expect(hashSecret('abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(sameHash(hashSecret('abc'), hashSecret('abc'))).toBe(true)
    expect(sameHash(hashSecret('abc'), hashSecret('abd'))).toBe(false)
  })
})
