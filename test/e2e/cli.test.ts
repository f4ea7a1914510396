import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runOqs, startOqs, waitForLine } from '../support/oqs-process.ts'
import { sendTo } from '../support/service.ts'
import { useServiceFolder } from '../support/service-settings.ts'

const folder = useServiceFolder()
const { settings } = folder

const rows = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('oqs', () => {
  it('prints help and its version with status 0', async () => {
    for (const args of [['--help'], ['token', 'create', '--help']]) {
      const { code, stdout } = await runOqs(args)
      expect([args, code]).toEqual([args, 0])
      expect(stdout).toMatch(/^Usage: oqs/)
    }
    const version = await runOqs(['--version'])
    expect([version.code, version.stdout]).toEqual([
      0,
      expect.stringMatching(/^\d+\.\d+\.\d+(\+[0-9a-f]{8})?\n$/),
    ])
  })

  it('exits with status 2 and a hint on wrong usage', async () => {
    for (const [hint, args] of [
      ['Did you mean serve?', ['serv']],
      ['Did you mean --demo?', ['serve', '--dmeo']],
    ] as const) {
      const { code, stderr } = await runOqs(args, settings())
      expect([args, code]).toEqual([args, 2])
      expect(stderr).toMatch(/^error: /)
      expect(stderr).toContain(hint)
    }
  })
})

describe('oqs config', () => {
  it('prints every setting with its value and source, without secrets', async () => {
    const file = join(folder.path, 'oqs.env')
    // With a byte order mark, as some editors write it.
    writeFileSync(file, '\uFEFFOQS_WORKERS=2\n# a comment\nOQS_PORT=9999\nOQS_HOST=0.0.0.0\n')
    const { code, stdout } = await runOqs(['config'], {
      OQS_CONFIG: file,
      OQS_PORT: '0',
      OQS_ADMIN_TOKEN: 'a-very-secret-token',
    })
    expect(code).toBe(0)
    const printed = new Map(rows(stdout).map((row) => [row.setting, [row.value, row.source]]))
    expect(printed.get('OQS_WORKERS')).toEqual(['2', 'file'])
    expect(printed.get('OQS_PORT')).toEqual(['0', 'environment'])
    expect(printed.get('OQS_HOST')).toEqual(['0.0.0.0', 'file'])
    expect(printed.get('OQS_LOG_LEVEL')).toEqual(['info', 'default'])
    expect(printed.get('OQS_ADMIN_TOKEN')).toEqual(['[secret]', 'environment'])
    expect(printed.get('OQS_PAGE_TOKEN_KEYS')).toEqual(['', 'not set'])
    expect(stdout).not.toContain('a-very-secret-token')
  })

  it('marks every invalid value, without secrets, and fails', async () => {
    const { code, stdout, stderr } = await runOqs(['config'], {
      OQS_PORT: 'abc',
      OQS_STORE: 'postgres:/oqs:s3cret@db.example/oqs',
      OQS_URL: 'http://me:s3cret@service.example',
      OQS_ADMIN_TOKEN: 's3cret',
    })
    expect(code).toBe(1)
    const invalid = rows(stdout).filter(({ check }) => check !== 'ok')
    const names = ['OQS_PORT', 'OQS_STORE', 'OQS_ADMIN_TOKEN', 'OQS_URL']
    expect(invalid.map(({ setting }) => setting)).toEqual(names)
    expect(invalid[0].check).toBe('invalid: must be a number from 0 to 65535')
    for (const name of names) expect(stderr).toContain(`${name} is `)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stdout + stderr).not.toContain('s3cret')
  })

  it('fails if valid values contradict each other, with the message of serve', async () => {
    const more = settings({ OQS_PAGE_CACHE_BYTES: String(8 * 1024 ** 3) })
    const [config, serve] = [await runOqs(['config'], more), await runOqs(['serve'], more)]
    expect([config.code, serve.code]).toEqual([1, 1])
    expect(config.stderr).toMatch(/^oqs: OQS_MEMORY_BUDGET_BYTES is .* too little memory .*\n$/)
    expect(serve.stderr).toBe(config.stderr)
    expect(rows(config.stdout).map(({ check }) => check)).toContain('ok')
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('fails even if the reader of its output exits early', async () => {
    await using config = startOqs(['config'], { OQS_PORT: 'abc' })
    config.child.stdout?.destroy()
    expect(await config.ended).toBe(1)
  })

  it('suggests a setting for a variable with a similar name', async () => {
    const { code, stderr } = await runOqs(['config'], { OQS_WROKERS: '2', OQS_PORT_80_TCP: 'x' })
    expect([code, stderr]).toEqual([
      0,
      'oqs: OQS_WROKERS is set, but is not a setting. Did you mean OQS_WORKERS?\n',
    ])
  })

  it('rejects a file with an unknown setting', async () => {
    const file = join(folder.path, 'oqs.env')
    writeFileSync(file, 'OQS_PROT=1\n')
    const { code, stderr } = await runOqs(['config'], { OQS_CONFIG: file })
    expect([code, stderr]).toEqual([1, expect.stringContaining('sets OQS_PROT')])
  })
})

describe('oqs token', () => {
  it('explains that it opens a store if OQS_URL is set', async () => {
    const none = { OQS_STORE: `sqlite:${join(folder.path, 'none.db')}` }
    const plain = await runOqs(['token', 'list'], none)
    expect(plain.stderr).toMatch(/there is no store at \S+none\.db\. [^\n]*\n$/)
    expect(plain.stderr).not.toContain('OQS_URL')
    const withUrl = await runOqs(['token', 'list'], { ...none, OQS_URL: 'http://service.example' })
    expect([withUrl.code, withUrl.stderr]).toEqual([1, expect.stringContaining('with --url')])
  })

  it('creates, lists and revokes tokens with immediate effect on a running service', async () => {
    await using oqs = startOqs(['serve'], settings())
    const url = await waitForLine(oqs, 'listening on ')
    const list = `${url}/api/v1/ontologies`

    const created = await runOqs(['token', 'create', '--name', 'ci', '--days', '1'], settings())
    const secret = created.stdout.trim()
    expect(secret).toMatch(/^oqs_[\w-]{43}$/)
    expect((await sendTo(list, { token: secret })).status).toBe(200)

    const listed = await runOqs(['token', 'list'], settings())
    expect(listed.stdout).not.toContain(secret)
    const ci = rows(listed.stdout).find((row) => row.name === 'ci')
    expect(ci).toMatchObject({ scopes: 'api:ontologies-read', ontologies: 'all', state: 'active' })

    const revoked = await runOqs(['token', 'revoke', ci.id], settings())
    expect(revoked.code).toBe(0)
    expect((await sendTo(list, { token: secret })).status).toBe(401)
    const again = await runOqs(['token', 'revoke', ci.id], settings())
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no active token')])
  })
})
