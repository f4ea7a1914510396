/** Commands that open the store, in the audit log of the service that uses it. */
import { writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

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

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runOqs(args, settings)
  expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
  return stdout
}

it('names the user, the command and what it changed, and no secret', async () => {
  const policy = join(folder.path, 'policy.json')
  writeFileSync(policy, JSON.stringify({ name: 'readers', rights: [] }))
  const secret = (await run('token', 'create', '--name', 'ci')).trim()
  const clientId = /client_id (\w+)/.exec(await run('client', 'create', '--name', 'job'))?.[1]
  const token = (await service.store.listApiTokens()).find(({ name }) => name === 'ci')
  await run('policy', 'apply', policy)
  await run('token', 'revoke', 'ci')
  await run('client', 'revoke', 'job')
  await run('policy', 'delete', 'readers')
  await run('backup', join(folder.path, 'copy.db'))
  await run('token', 'list')
  await run('policy', 'list')

  const { body } = await service.send('/api/admin/v1/audit')
  const { username } = userInfo()
  expect(body.data.toReversed()).toMatchObject(
    [
      { operation: 'createApiToken', kind: 'write', keys: [token?.id] },
      { operation: 'createClient', kind: 'write', keys: [clientId] },
      { operation: 'savePolicy', kind: 'write', keys: ['readers'] },
      { operation: 'revokeApiToken', kind: 'write', keys: [token?.id] },
      { operation: 'revokeClient', kind: 'write', keys: [clientId] },
      { operation: 'deletePolicy', kind: 'write', keys: ['readers'] },
      { operation: 'backup', kind: 'read' },
    ].map((record) => ({
      ...record,
      outcome: 'success',
      address: hostname(),
      caller: { id: `command:${username}`, name: username },
    })),
  )
  expect(JSON.stringify(body)).not.toContain(secret)
})

it('says that no requests are recorded while auditing is off', async () => {
  const list = async (url: string) => {
    const { code, stderr } = await runOqs(['audit'], { OQS_URL: url, OQS_TOKEN: ADMIN_TOKEN })
    return [code, stderr]
  }
  const off = 'oqs: auditing is off: OQS_AUDIT of the service says which requests it records\n'
  expect(await list(service.url)).toEqual([0, off])
  await using audited = await startService({ settings: { OQS_AUDIT: 'writes' } })
  expect(await list(audited.url)).toEqual([0, ''])
})
