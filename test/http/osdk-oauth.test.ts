/** The real packages of the official SDK: OAuth clients, and the current user. */
import { createPlatformClient } from '@osdk/client'
import { Users } from '@osdk/foundry.admin'
import { createConfidentialOauthClient, type createPublicOauthClient } from '@osdk/oauth'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { importProgram } from '../docs/page-examples.ts'
import { cookieOf, createClient, hiddenMembers, openPage, submitPage } from '../support/oauth.ts'
import { type Service, startService } from '../support/service.ts'
import { tempFolder } from '../support/temp-folder.ts'

const APP = 'http://localhost:3000/callback'

/** The program of the guide, which a page loads before and after the sign-in. */
interface Guide {
  openBoard(
    url: string,
    clientId: string,
  ): {
    readonly auth: ReturnType<typeof createPublicOauthClient>
    getCurrentUser(): Promise<unknown>
  }
}

describe('@osdk/oauth', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())
  afterEach(() => vi.unstubAllGlobals())

  it('signs a confidential client in and out, and tells who it is', async () => {
    const { url } = service
    const { id, secret } = await createClient(service, {
      name: 'nightly',
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
    })
    const auth = createConfidentialOauthClient(id, secret, url)
    const client = createPlatformClient(url, auth)
    expect(await Users.getCurrent(client)).toMatchObject({ username: 'nightly', realm: 'oqs' })
    const token = await auth()
    expect(await auth()).toBe(token)
    const { body } = await service.send('/api/admin/v1/me', { token })
    expect(body.scopes).toEqual(['api:ontologies-read', 'api:ontologies-write'])
    await auth.signOut()
    expect((await service.send('/api/admin/v1/me', { token })).status).toBe(401)
  })

  it('learns the error of a confidential client', async () => {
    const { url } = service
    const { id } = await createClient(service)
    const auth = createConfidentialOauthClient(id, 'wrong', url)
    await expect(auth()).rejects.toThrow('invalid_client')
    const scopes = createConfidentialOauthClient(id, 'wrong', url, ['unknown'])
    await expect(scopes()).rejects.toThrow('Failed to get token')
  })

  it('signs a person in through the page, with a proof key, as the guide shows', async () => {
    using folder = tempFolder()
    const { url } = service
    const { openBoard } = (await importProgram(
      'docs/how-to/sdk.md',
      'board.mjs',
      folder.path,
    )) as Guide
    const { id } = await createClient(service, { isPublic: true, redirectUris: [APP] })
    const browser = stubBrowser('http://localhost:3000/start')
    const leaving = openBoard(url, id)
      .getCurrentUser()
      .catch((error: Error) => error)
    const target = new URL(await browser.left)
    expect(`${target.origin}${target.pathname}`).toBe(`${url}/multipass/api/oauth2/authorize`)
    expect(String(await leaving)).toContain('Unable to redirect')

    const page = await openPage(service, Object.fromEntries(target.searchParams))
    expect(page.status).toBe(200)
    const token = await service.createToken({ name: 'ada' })
    const form = { ...hiddenMembers(page.text), token, decision: 'allow' }
    const back = await submitPage(service, form, cookieOf(page))
    browser.location.href = back.headers.get('location') ?? ''

    const { auth, getCurrentUser } = openBoard(url, id)
    expect(await getCurrentUser()).toMatchObject({ username: 'ada' })
    const access = await auth()
    await auth.signOut()
    expect((await service.send('/api/admin/v1/me', { token: access })).status).toBe(401)
  })
})

/** A browser with one page, as far as the package uses it. */
function stubBrowser(start: string) {
  const { promise: left, resolve } = Promise.withResolvers<string>()
  const location = {
    href: start,
    get pathname() {
      return new URL(this.href).pathname
    },
    assign: (target: string) => resolve(target),
    toString() {
      return this.href
    },
  }
  const items = new Map<string, string>()
  vi.stubGlobal('window', { location, history: { replaceState: () => {} } })
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
    removeItem: (name: string) => items.delete(name),
  })
  return { left, location }
}
