/** The package of the service, as npm installs it into an empty folder. */
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packFolder } from '../../scripts/release/pack.ts'
import { writeSbom } from '../../scripts/release/sbom.ts'
import { layOutService } from '../../scripts/release/service-package.ts'
import { readRelease } from '../../src/server/release.ts'
import { requestAssets } from '../support/explorer-assets.ts'
import { startNode, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, sendTo } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const run = promisify(execFile)
/** The promise is 60 MB; a package that doubles should be noticed long before. */
const MAX_INSTALLED_BYTES = 30_000_000

let folder: TempFolder
let archive: string
let program: string

beforeAll(async () => {
  folder = tempFolder()
  archive = await packFolder(await layOut('first'), folder.path)
  writeFileSync(join(folder.path, 'package.json'), '{}')
  await run('npm', ['install', archive, '--omit=dev', '--no-audit', '--no-fund', '--offline'], {
    cwd: folder.path,
  })
  program = join(folder.path, 'node_modules/object-query-service/bin/oqs.js')
})
afterAll(() => folder[Symbol.dispose]())

/** Returns the folder of a package. */
async function layOut(name: string): Promise<string> {
  const service = join(folder.path, name)
  mkdirSync(service)
  await layOutService(service)
  return service
}

it('has no mistakes that publint finds', async () => {
  const { stdout } = await run(resolve('node_modules/.bin/publint'), ['run', '--strict', archive])
  expect(stdout).toContain('All good!')
})

it('is small, and installs no other package', () => {
  const files = globSync('node_modules/**/*', { cwd: folder.path, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES)
  const packages = globSync('node_modules/{[!.@]*,@*/*}', { cwd: folder.path })
  expect(packages).toEqual([join('node_modules', 'object-query-service')])
})

it('has the licences of what it contains', () => {
  const path = join(folder.path, 'node_modules/object-query-service/THIRD-PARTY-LICENCES')
  const licences = readFileSync(path, 'utf8')
  for (const name of ['fastify', 'pg', 'react', 'd3-geo']) {
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
  }
})

it('has a bill of materials that does not depend on the folder or on npm', async () => {
  const file = join(folder.path, 'sbom.json')
  await writeSbom(file, new Date(0))
  const { metadata, components } = JSON.parse(readFileSync(file, 'utf8'))
  expect(metadata).toMatchObject({
    timestamp: '1970-01-01T00:00:00.000Z',
    component: { name: 'object-query-service', version: '1.0.0' },
  })
  expect(metadata.tools).toBeUndefined()
  expect(components.map(({ name }: { name: string }) => name)).toContain('fastify')
})

it('serves objects, the explorer, and the description of the API', async () => {
  const settings = {
    OQS_PORT: '0',
    OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}`,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
  }
  await using service = startNode([program, 'serve'], settings)
  const url = await waitForLine(service, 'listening on ')
  const { body } = await sendTo(`${url}/api/v2/ontologies`)
  expect(body.data).toEqual([])
  const names = await requestAssets(url)
  expect(names.some((name) => name.startsWith('admin-screen-'))).toBe(true)
  const { body: description } = await sendTo(`${url}/openapi.json`)
  expect(description.info.version).toBe('1.0.0')
})

it('names its release, and how to get the data of the demo', async () => {
  const { stdout } = await run(process.execPath, [program, '--version'])
  expect(stdout).toBe(`${readRelease()}\n`)
  const settings = { OQS_PORT: '0', OQS_STORE: `sqlite:${join(folder.path, 'demo.db')}` }
  await using service = startNode([program, 'serve', '--demo'], settings, 'ignore', folder.path)
  expect(await waitForLine(service, 'demo  ')).toMatch(/npm install --no-save airport-data-js@\d/)
})

it('tells an older Node.js what to do', async () => {
  for (const node of olderNodes()) {
    const failed = run(node, [program, '--version'])
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^oqs: this is Node\.js .* requires version 24 or newer.*\n$/),
    })
  }
})

/** Those on the path. */
function olderNodes(): string[] {
  const nodes = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, 'node'))
  const isOlder = (path: string) => existsSync(path) && !path.includes('node_modules')
  return nodes.filter(isOlder)
}

it('has the same bytes when another user makes it again', async () => {
  const again = join(folder.path, 'again')
  mkdirSync(again)
  const service = await layOut('second')
  for (const path of globSync('**/*', { cwd: service, withFileTypes: true })) {
    if (path.isFile())
      chmodSync(join(path.parentPath, path.name), isProgram(path.name) ? 0o700 : 0o600)
  }
  expect(readFileSync(await packFolder(service, again)).equals(readFileSync(archive))).toBe(true)
})

/** Those that the checkout marks as executable. */
const isProgram = (name: string) => name === 'oqs.js'
