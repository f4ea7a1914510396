/** The commands for OAuth clients, on the store of a running service. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendForm, TOKEN_PATH } from '../support/oauth.ts'
import { runOqs } from '../support/oqs-process.ts'
import { type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

describe('oqs client', () => {
  let folder: TempFolder
  let service: Service
  let settings: { OQS_STORE: string }
  beforeAll(async () => {
    folder = tempFolder()
    settings = { OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}` }
    service = await startService({ store: settings.OQS_STORE })
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const run = (...args: string[]) => runOqs(['client', ...args], settings)

  it('creates, lists and revokes a client that gets tokens', async () => {
    const options = ['--scope', 'api:ontologies-write', '--ontology', 'a,b', '--days', '2']
    const created = await run('create', '--name', 'job', ...options)
    const [, id = '', secret = ''] =
      /^client_id ([0-9a-f]{32})\nclient_secret (oqs_client_[\w-]{43})\n$/.exec(created.stdout) ??
      []
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
    const { body } = await sendForm(service, TOKEN_PATH, form)
    const me = await service.send('/api/admin/v1/me', { token: body.access_token })
    expect(me.body).toMatchObject({ name: 'job', ontologies: ['a', 'b'] })

    const listed = await run('list')
    expect(JSON.parse(listed.stdout)).toMatchObject({
      id,
      name: 'job',
      kind: 'confidential',
      scopes: 'api:ontologies-write',
      ontologies: 'a b',
      expires: expect.stringMatching(/^20/),
    })
    expect(listed.stdout).not.toContain(secret)

    expect((await run('revoke', id)).stdout).toBe('revoked 1\n')
    expect((await service.send('/api/admin/v1/me', { token: body.access_token })).status).toBe(401)
    expect((await sendForm(service, TOKEN_PATH, form)).body.error).toBe('invalid_client')
    const again = await run('revoke', id)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('oqs client list')])
  })

  it('creates a public client without a secret', async () => {
    const uris = ['https://app.example.com/cb', 'http://localhost:3000/cb']
    const args = uris.flatMap((uri) => ['--redirect-uri', uri])
    const { stdout } = await run('create', '--name', 'web', '--public', ...args)
    expect(stdout).toMatch(/^client_id [0-9a-f]{32}\n$/)
    expect(JSON.parse((await run('list')).stdout)).toMatchObject({
      kind: 'public',
      redirectUris: uris.join(' '),
      expires: 'never',
    })
  })

  it('refuses a public client without a redirect URI as wrong usage', async () => {
    const { code, stderr } = await run('create', '--name', 'x', '--public')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/a public client needs --redirect-uri/),
    ])
  })
})
