/** A service that a proxy serves under a path: every address that it writes has the path. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigError, readConfig } from '../../src/server/config.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { runOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, type Service, sendTo, startService } from '../support/service.ts'

const PATH = '/data/objects'
const LIST = '/api/v1/ontologies/numbers/objects/number'

describe('a base path', () => {
  let service: Service
  let origin: string
  beforeAll(async () => {
    service = await startService({ settings: { OQS_BASE_PATH: `${PATH}/` }, rewrittenAtOnceMax: 1 })
    origin = new URL(service.url).origin
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('is part of the address of the service', () => {
    expect(service.url).toBe(origin + PATH)
  })

  it.each([PATH, ''])('reaches every endpoint with the path "%s"', async (path) => {
    for (const each of [LIST, '/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
      expect((await sendTo(origin + path + each, {})).status).toBe(200)
    }
    const unknown = await sendTo(`${origin}${path}/api/v1/unknown`, {})
    expect(unknown.status).toBe(404)
    expect((await sendTo(`${origin}${PATH}x${LIST}`, {})).status).toBe(404)
  })

  it('begins every address in responses', async () => {
    const root = await fetch(service.url, { redirect: 'manual' })
    expect(root.headers.get('location')).toBe(`${PATH}/docs`)
    const { text: page } = await service.send('/docs')
    expect(page).toContain(`href="${PATH}/openapi.json"`)
    const { body } = await service.send('/openapi.json')
    expect(body.servers).toEqual([{ url: PATH }])
    const { clientCredentials } = body.components.securitySchemes.oauth2.flows
    expect(clientCredentials.tokenUrl).toBe(`${PATH}/multipass/api/oauth2/token`)
  })

  it('begins the location of a change in the background', async () => {
    const [type] = NUMBERS.objectTypes
    const properties = { ...type?.properties, n: { type: 'long' } as const }
    const changed = await service.apply({
      ...NUMBERS,
      objectTypes: [{ ...type, properties } as (typeof NUMBERS.objectTypes)[number]],
    })
    expect(changed.status).toBe(202)
    expect(changed.headers.get('location')).toMatch(`${PATH}/api/admin/v1/ontologies/ri.`)
  })

  it('begins the paths of cookies', async () => {
    const redirect = 'https://app.example/back'
    const client = { name: 'app', public: true, redirectUris: [redirect] }
    const { body } = await service.send('/api/admin/v1/clients', { json: client })
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: body.id,
      redirect_uri: redirect,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const authorize = '/multipass/api/oauth2/authorize'
    const page = await service.send(`${authorize}?${parameters}`, { token: null })
    expect(page.headers.get('set-cookie')).toContain(`; Path=${PATH}${authorize};`)
    const session = await service.send('/api/admin/v1/sessions', {
      json: { token: ADMIN_TOKEN },
      headers: { 'oqs-session': 'explorer' },
    })
    expect(session.headers.get('set-cookie')).toContain(`; Path=${PATH}/api/;`)
  })

  it('can be part of the address that commands get', async () => {
    const env = { OQS_TOKEN: ADMIN_TOKEN }
    const args = ['list', '--ontology', 'numbers', '--type', 'number', '--url', `${service.url}/`]
    const { stdout, code } = await runOqs(args, env)
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 3])
  })
})

describe('the setting OQS_BASE_PATH', () => {
  it.each([
    ['/', ''],
    ['/objects', '/objects'],
    ['/a/b-c_d~1.2/', '/a/b-c_d~1.2'],
  ])('reads %s', (text, path) => {
    expect(readConfig({ OQS_BASE_PATH: text }).OQS_BASE_PATH).toBe(path)
  })

  it.each([
    'objects',
    '//',
    '/a//b',
    '/a/../b',
    '/.',
    '/a b',
    '/a?b',
    '/%41',
    '/api/objects',
    '/o',
  ])('refuses %s', (text) => {
    expect(() => readConfig({ OQS_BASE_PATH: text })).toThrow(ConfigError)
  })
})
