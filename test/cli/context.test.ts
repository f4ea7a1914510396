/** Named services, and commands that administer a service from elsewhere. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OQS, startNode } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { loadAviation } from './aviation.ts'
import { pathWithOqs, runLine } from './shell.ts'

let folder: TempFolder
let service: Service
let settings: { XDG_CONFIG_HOME: string }
beforeAll(async () => {
  folder = tempFolder()
  settings = { XDG_CONFIG_HOME: join(folder.path, 'config') }
  service = await startService()
  await loadAviation(service)
  writeFileSync(join(folder.path, 'secret'), `${ADMIN_TOKEN}\n`)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Runs a command in a folder without a store. */
async function run(args: readonly string[], environment: Record<string, string> = {}) {
  const process = startNode([OQS, ...args], { ...settings, ...environment }, 'ignore', folder.path)
  const code = await process.ended
  return { code, stdout: process.stdout(), stderr: process.stderr() }
}

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args)
  expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
  return stdout
}

const addProd = () =>
  succeed('context', 'add', 'prod', '--url', service.url, '--token-file', 'secret')

describe('oqs context', () => {
  it('keeps tokens where only their user can read them, and never shows them', async () => {
    expect(await addProd()).toBe('added prod. Try it with `oqs whoami --context prod`.\n')
    const file = join(settings.XDG_CONFIG_HOME, 'oqs/contexts.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain(ADMIN_TOKEN)
    const listed = await succeed('context', 'list')
    expect(JSON.parse(listed)).toEqual({
      name: 'prod',
      url: service.url,
      token: 'kept',
      current: '',
    })
  })

  it('sends commands to the service that is named, or that is current', async () => {
    await addProd()
    const count = ['count', '--ontology', 'aviation', '--type', 'airport']
    expect(await succeed(...count, '--context', 'prod')).toBe('6\n')
    await succeed('context', 'use', 'prod')
    const current = await run(count)
    expect([current.stdout, current.stderr]).toEqual(['6\n', `oqs: context prod: ${service.url}\n`])
    // Settings go before the current context, and its token is not sent to another address.
    const elsewhere = await run(count, { OQS_URL: 'http://127.0.0.1:1' })
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('127.0.0.1:1')])
    const withoutToken = await run([...count, '--url', service.url])
    expect([withoutToken.code, withoutToken.stderr]).toEqual([
      1,
      expect.stringContaining('MissingCredentials'),
    ])
    await succeed('context', 'reset')
    expect(JSON.parse(await succeed('context', 'list')).current).toBe('')
  })

  it('names the context of which the address or the token is wrong', async () => {
    const add = (...options: string[]) => succeed('context', 'add', 'wrong', ...options)
    const whoami = () => run(['whoami', '--context', 'wrong'])
    await add('--url', 'http://127.0.0.1:9', '--token', 'x')
    expect((await whoami()).stderr).toMatch(
      /^oqs: cannot reach http:\/\/127\.0\.0\.1:9 \(.+\)\. This is the address of the context wrong; `oqs context add wrong --url URL --token-file FILE` changes it\.\n$/,
    )
    await add('--url', service.url.replace('http:', 'https:'))
    expect((await whoami()).stderr).toContain('Write http:// in the context wrong.\n')
    await add('--url', service.url, '--token', 'x')
    const change = `\`oqs context add wrong --url ${service.url} --token-file FILE\``
    expect((await whoami()).stderr).toMatch(
      new RegExp(`Unauthorized.* It is the token of the context wrong; ${change} changes it\\.\n$`),
    )
    // Of a command that administers the service, and of the current context, too.
    await succeed('context', 'use', 'wrong')
    expect((await run(['token', 'list'])).stderr).toContain('the token of the context wrong')
    await succeed('context', 'reset')
    const other = await run(['whoami', '--context', 'wrong', '--token', 'y'])
    expect(other.stderr).toContain('Check OQS_TOKEN or --token')
    await add('--url', service.url)
    expect((await whoami()).stderr).toContain(`The context wrong has no token; ${change} adds one.`)
    await succeed('context', 'remove', 'wrong')
  })

  it('warns if other users can read the tokens', async () => {
    await addProd()
    const file = join(settings.XDG_CONFIG_HOME, 'oqs/contexts.json')
    chmodSync(file, 0o640)
    const { code, stderr } = await run(['whoami', '--context', 'prod'])
    expect([code, stderr]).toEqual([
      0,
      `oqs: other users can read ${file}, which contains tokens. Run \`chmod 600 ${file}\`.\n`,
    ])
    await addProd()
    expect((await run(['whoami', '--context', 'prod'])).stderr).toBe('')
  })

  it('says that a folder is in the place of the file', async () => {
    const XDG_CONFIG_HOME = join(folder.path, 'folder')
    mkdirSync(join(XDG_CONFIG_HOME, 'oqs/contexts.json'), { recursive: true })
    const { code, stderr } = await run(['context', 'list'], { XDG_CONFIG_HOME })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^oqs: cannot read .*contexts\.json: it is a folder\n$/),
    ])
  })

  it('forgets a service', async () => {
    await addProd()
    await succeed('context', 'use', 'prod')
    expect(await succeed('context', 'remove', 'prod')).toBe('removed prod\n')
    expect(await succeed('context', 'list')).toBe('')
    const { code, stderr } = await run(['whoami', '--context', 'prod'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no context prod')])
  })

  it.each([
    [['context', 'add', '../x', '--url', 'http://localhost'], 2, 'Use letters'],
    [['context', 'add', 'x'], 2, '--url'],
    [['context', 'add', 'x', '--url', 'localhost'], 2, 'http://'],
    [['context', 'add', 'x', '--url', 'http://a', '--token-file', 'none'], 1, 'does not exist'],
    [['context', 'use', '__proto__'], 1, 'there is no context __proto__'],
    [['status', '--context', 'a', '--url', 'http://a'], 2, 'cannot be used with'],
  ])('refuses %j', async (args, status, text) => {
    const { code, stderr } = await run(args)
    expect([code, stderr]).toEqual([status, expect.stringContaining(text)])
  })

  it.each([
    '{"contexts": [',
    '{"contexts": {"x": null}}',
    '{"contexts": {"x": {"url": "nowhere"}}, "current": "x"}',
    '{"contexts": {"x": {"url": "http://a", "token": "a\\nb"}}}',
  ])('says which file is damaged: %s', async (text) => {
    const config = join(folder.path, 'damaged')
    mkdirSync(join(config, 'oqs'), { recursive: true })
    writeFileSync(join(config, 'oqs/contexts.json'), text)
    const { code, stderr } = await run(['whoami'], { XDG_CONFIG_HOME: config })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('oqs/contexts.json does not contain contexts'),
    ])
  })
})

describe('administration of a service', () => {
  const there = () => ['--url', service.url, '--token', ADMIN_TOKEN]

  it('creates, lists and revokes tokens', async () => {
    const limits = ['--scope', 'api:ontologies-read', '--ontology', 'aviation', '--days', '2']
    const secret = await succeed('token', 'create', '--name', 'ci', ...limits, ...there())
    const me = await service.send('/api/admin/v1/me', { token: secret.trim() })
    expect(me.body).toMatchObject({ name: 'ci', ontologies: ['aviation'] })
    expect(await succeed('token', 'list', ...there())).toContain('"state":"active"')
    expect(await succeed('token', 'list', '--table', ...there())).toMatch(/^id .* state\n/)
    expect(await succeed('token', 'revoke', 'ci', ...there())).toBe('revoked 1\n')
    expect((await service.send('/api/admin/v1/me', { token: secret.trim() })).status).toBe(401)
    const again = await run(['token', 'revoke', 'ci', ...there()])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('oqs token list')])
  })

  it('creates, lists and revokes clients', async () => {
    const uri = 'https://app.example.com/cb'
    const args = ['--name', 'web', '--public', '--redirect-uri', uri]
    const created = await succeed('client', 'create', ...args, ...there())
    expect(created).toMatch(/^client_id [0-9a-f]{32}\n$/)
    const listed = JSON.parse(await succeed('client', 'list', '--json', ...there()))
    expect(listed).toMatchObject({ name: 'web', kind: 'public', redirectUris: uri })
    expect(await succeed('client', 'revoke', 'web', ...there())).toBe('revoked 1\n')
  })

  it('applies, lists, shows and deletes policies', async () => {
    const policy = {
      name: 'sales',
      rights: [{ ontology: 'aviation', objectType: 'airport', access: 'read' }],
    }
    writeFileSync(join(folder.path, 'sales.json'), JSON.stringify(policy))
    expect(await succeed('policy', 'apply', 'sales.json', ...there())).toBe(
      'applied sales: 1 right\n',
    )
    expect(JSON.parse(await succeed('policy', 'show', 'sales', ...there()))).toMatchObject(policy)
    expect(await succeed('policy', 'list', '--table', ...there())).toMatch(/^name .*\nsales /)
    expect(await succeed('policy', 'delete', 'sales', ...there())).toBe('deleted sales\n')
    const again = await run(['policy', 'show', 'sales', ...there()])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('oqs policy list')])
  })

  it('refuses a token that may not administer', async () => {
    const secret = (await succeed('token', 'create', '--name', 'reader', ...there())).trim()
    const { code, stderr } = await run(['token', 'list', '--url', service.url, '--token', secret])
    expect([code, stderr]).toEqual([1, expect.stringContaining('api:admin')])
  })

  it('says that it uses the store in the folder, if nothing names another', async () => {
    mkdirSync(join(folder.path, 'data'))
    const store = `sqlite:${join(folder.path, 'data/oqs.db')}`
    await using _ = await startService({ store })
    const unnamed = await run(['token', 'list'])
    expect(unnamed).toMatchObject({
      code: 0,
      stderr: 'oqs: using the store sqlite:data/oqs.db in this folder\n',
    })
    const copied = await run(['backup', 'copy.db'])
    expect(copied.stderr).toMatch(
      /^oqs: using the store sqlite:data\/oqs\.db in this folder\n(?:oqs: .*\n)*oqs: backup complete.*\n$/,
    )
    expect(copied.stderr.match(/using the store/g)).toHaveLength(1)
    expect(await run(['token', 'list'], { OQS_STORE: store })).toMatchObject({
      code: 0,
      stderr: '',
    })
  })
})

it('completes the names of ontologies, types, properties and contexts', async () => {
  const PATH = pathWithOqs(folder.path)
  const there = `--url ${service.url} --token ${ADMIN_TOKEN}`
  const complete = async (words: string) => {
    const line = `oqs ${words}`
    const step = `COMP_LINE='${line}'; COMP_WORDS=(${line} ''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _oqs; echo "\${COMPREPLY[*]}"`
    const environment = { PATH, ...settings }
    const { stdout } = await runLine(
      `source <(oqs completion bash); ${step}`,
      folder.path,
      environment,
    )
    return stdout.trimEnd().split(' ')
  }
  await addProd()
  expect(await complete(`list ${there} --ontology`)).toEqual(['aviation'])
  expect(await complete(`list --context prod --ontology aviation --type`)).toContain('airport')
  const select = `list --context prod --ontology aviation --type airport --select`
  expect(await complete(select)).toContain('runwayFeet')
  expect(await complete('status --context')).toEqual(['prod'])
  expect(await complete('list --url http://127.0.0.1:1 --ontology')).toEqual([''])
})
