/** The OAuth client that every service has for its explorer: it returns people to the service only. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  cookieOf,
  createPkce,
  hiddenMembers,
  openPage,
  REVOKE_PATH,
  redirectOf,
  sendForm,
  submitPage,
  TOKEN_PATH,
} from '../support/oauth.ts'
import { type Service, startService } from '../support/service.ts'

const ME = '/api/admin/v1/me'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

const pkce = createPkce()
const query = (redirectUri: string) => ({
  response_type: 'code',
  client_id: 'explorer',
  redirect_uri: redirectUri,
  state: 'state',
  code_challenge: pkce.challenge,
  code_challenge_method: 'S256',
})

async function allow(redirectUri: string, origin: string) {
  const token = await service.createToken({ name: 'person' })
  const page = await openPage(service, query(redirectUri))
  const form = { ...hiddenMembers(page.text), token, decision: 'allow' }
  return submitPage(service, form, cookieOf(page), { origin })
}

it('gives tokens with the rights of the person, and revokes them all', async () => {
  const answer = await allow(`${service.url}/`, service.url)
  expect(answer.headers.get('location')).toMatch(new RegExp(`^${service.url}/\\?code=`))
  const { body } = await sendForm(service, TOKEN_PATH, {
    grant_type: 'authorization_code',
    client_id: 'explorer',
    code: redirectOf(answer)['code'] ?? '',
    redirect_uri: `${service.url}/`,
    code_verifier: pkce.verifier,
  })
  const token = body.access_token
  const me = await service.send(ME, { token })
  expect(me.body).toMatchObject({ name: 'person', scopes: ['api:ontologies-read'] })
  const revoked = { client_id: 'explorer', token: body.refresh_token }
  expect((await sendForm(service, REVOKE_PATH, revoked)).status).toBe(200)
  expect((await service.send(ME, { token })).status).toBe(401)
})

it.each([
  ['another host', () => 'https://evil.example.com/'],
  ['another path', () => `${service.url}/o/shop`],
  ['a query', () => `${service.url}/?next=x`],
  ['another port', () => 'http://127.0.0.1:1/'],
  ['a user name', () => service.url.replace('://', '://user@')],
])('does not send people to %s', async (_name, redirectUri) => {
  const page = await openPage(service, query(redirectUri()))
  expect(page.status).toBe(400)
  expect(page.headers.get('location')).toBeNull()
  expect(page.text).toContain('redirect_uri is not the address of this service')
})

it('does not send people from HTTPS to HTTP, behind a proxy too', async () => {
  const answer = await allow(`${service.url}/`, service.url.replace('http:', 'https:'))
  expect(answer.status).toBe(400)
  expect(answer.headers.get('location')).toBeNull()
})

it('needs a proof key, has no secret and acts for nobody else', async () => {
  const { code_challenge: _, ...without } = query(`${service.url}/`)
  const page = await openPage(service, without)
  expect(redirectOf(page)).toMatchObject({ error: 'invalid_request' })
  const form = { grant_type: 'client_credentials', client_id: 'explorer' }
  expect((await sendForm(service, TOKEN_PATH, form)).body.error).toBe('unauthorized_client')
  const guessed = { ...form, client_secret: 'guessed' }
  expect((await sendForm(service, TOKEN_PATH, guessed)).body.error).toBe('invalid_client')
})

it('is not in the list of clients, and cannot be revoked', async () => {
  expect((await service.send('/api/admin/v1/clients')).body.data).toEqual([])
  const path = '/api/admin/v1/clients/explorer'
  const named = { name: 'explorer', public: true, redirectUris: ['https://a.example/back'] }
  const { body } = await service.send('/api/admin/v1/clients', { json: named })
  expect((await service.send(path, { method: 'DELETE' })).status).toBe(404)
  const kept = (await service.send('/api/admin/v1/clients')).body.data
  expect(kept).toMatchObject([{ id: body.id, name: 'explorer' }])
})
