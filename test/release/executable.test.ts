/** The executable of this system, in an environment without any other program. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkExecutable } from '../../scripts/release/check-executable.ts'
import { makeBlob, makeExecutable } from '../../scripts/release/executable.ts'
import type { System } from '../../scripts/release/node-binary.ts'
import { addDemoData, layOutService } from '../../scripts/release/service-package.ts'
import { readRelease } from '../../src/server/release.ts'
import { requestAssets } from '../support/explorer-assets.ts'
import { type OqsProcess, startProgram, waitForLine } from '../support/oqs-process.ts'
import { sendTo } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const SYSTEM = `linux-${process.arch}` as System
/** More than a batch that is parsed on the main thread has. */
const MANY_ROWS = 5000

let folder: TempFolder
let blob: Buffer
let program: string
let oqs: OqsProcess
let url: string
let token: string

beforeAll(async () => {
  folder = tempFolder()
  const [service, work] = ['package', 'work'].map((name) => join(folder.path, name)) as [
    string,
    string,
  ]
  for (const name of ['package', 'work', 'home', 'current']) mkdirSync(join(folder.path, name))
  await layOutService(service)
  addDemoData(service)
  blob = await makeBlob(service, work)
  program = join(folder.path, 'oqs')
  await makeExecutable(process.execPath, blob, program)
})
afterAll(async () => {
  await oqs?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

function start(args: readonly string[], settings = {}): OqsProcess {
  const env = { PATH: '', HOME: join(folder.path, 'home'), NODE_COMPILE_CACHE: undefined }
  const cwd = join(folder.path, 'current')
  return startProgram(program, args, { ...env, ...settings }, { cwd })
}

/** Runs a command to its end; returns its output. */
async function run(args: readonly string[], settings = {}): Promise<string> {
  await using command = start(args, { OQS_URL: url, OQS_TOKEN: token, ...settings })
  expect([await command.ended, command.stderr()]).toEqual([0, expect.any(String)])
  return command.stdout()
}

it('contains the program', () => {
  checkExecutable(program, SYSTEM, blob)
  expect(() => checkExecutable(process.execPath, SYSTEM, blob)).toThrow('does not contain')
  expect(() => checkExecutable(program, 'win-x64', blob)).toThrow('not an executable for win-x64')
})

it('tells its version and its commands', async () => {
  expect(await run(['--version'])).toBe(`${readRelease()}\n`)
  expect(await run(['--help'])).toContain('Usage: oqs')
})

it('serves the demo with two workers', async () => {
  oqs = start(['serve', '--demo'], { OQS_PORT: '0', OQS_WORKERS: '2' })
  url = await waitForLine(oqs, 'listening on ')
  token = await waitForLine(oqs, 'token ')
  const { status, body } = await sendTo(`${url}/api/v1/ontologies/aviation/objects/airport`, {
    token,
  })
  expect([status, body.totalCount]).toEqual([200, '10131'])
})

it('has the explorer and the API reference', async () => {
  expect((await requestAssets(url)).length).toBeGreaterThan(0)
  const { text } = await sendTo(`${url}/docs`, { token: null })
  expect(text).toContain('</details>')
})

it('imports, lists, exports and follows, with threads and processes of its own', async () => {
  const rows = Array.from({ length: MANY_ROWS }, (_, n) => `${n},number ${n}`)
  const file = join(folder.path, 'current', 'numbers.csv')
  writeFileSync(file, `${['n,name', ...rows].join('\n')}\n`)
  await run(['import', file, '--ontology', 'own', '--infer'])
  const from = ['--ontology', 'own', '--type', 'numbers']
  const listed = await run(['list', ...from, '--where', 'n.eq=4711', '--json'])
  expect(JSON.parse(listed).properties.name).toBe('number 4711')
  await run(['export', ...from, '--output', 'again.csv'])
  const again = readFileSync(join(folder.path, 'current', 'again.csv'), 'utf8')
  expect(again.split('\n')).toHaveLength(MANY_ROWS + 2)
  await using follower = start(['follow', ...from, '--from-start'], {
    OQS_URL: url,
    OQS_TOKEN: token,
  })
  expect(JSON.parse(`{"put":${await waitForLine(follower, '{"put":')}`).put).toBeDefined()
})

it('is backed up while it runs, and stops with status 0', async () => {
  await run(['backup', 'copy.db'])
  expect(existsSync(join(folder.path, 'current', 'copy.db'))).toBe(true)
  oqs.child.kill('SIGTERM')
  expect(await oqs.ended).toBe(0)
})

it('prints commands that can be pasted', async () => {
  const settings = { OQS_PORT: '0', OQS_STORE: 'sqlite:empty.db' }
  await using service = start(['serve'], settings)
  expect(await waitForLine(service, '  ')).toMatch(/^\/.*\/oqs token create /)
})

it('says what to do if it cannot unpack', async () => {
  const file = join(folder.path, 'file')
  writeFileSync(file, '')
  await using command = start(['--version'], { XDG_CACHE_HOME: file })
  expect(await command.ended).toBe(1)
  expect(command.stderr()).toMatch(/^oqs: cannot unpack into .* Set XDG_CACHE_HOME to .*\n$/)
})
