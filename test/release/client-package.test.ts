/** The package of the client: valid, small, and runs wherever it is installed. */
import { execFile } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { layOutClient } from '../../scripts/release/client-package.ts'
import { packFolder } from '../../scripts/release/pack.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const run = promisify(execFile)
const MAX_ARCHIVE_BYTES = 50_000
const MAX_BUNDLE_BYTES = 10_000

let folder: TempFolder
let archive: string
let service: Service
beforeAll(async () => {
  folder = tempFolder()
  const path = (name: string) => join(folder.path, name)
  for (const name of ['package', 'build', 'packed']) mkdirSync(path(name))
  await layOutClient(path('package'), path('build'))
  archive = await packFolder(path('package'), path('packed'))
  writeFileSync(path('package.json'), '{}')
  await run('npm', ['install', archive, '--no-audit', '--no-fund', '--offline'], {
    cwd: folder.path,
  })
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(25))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** The Node.js that runs the tests, and those on the path, which may be older. */
function installedNodes(): Set<string> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, 'node'))
  return new Set(
    [process.execPath, ...onPath.filter((path) => existsSync(path))].map((path) =>
      realpathSync(path),
    ),
  )
}

/** The bundle for browsers. */
async function bundle() {
  const build = await rolldown({
    input: join(folder.path, 'node_modules/@object-query-service/client/client/index.js'),
    platform: 'browser',
  })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  return output[0]
}

describe('the package of the client', () => {
  it('has no mistakes that publint finds', async () => {
    const { stdout } = await run(resolve('node_modules/.bin/publint'), ['run', '--strict', archive])
    expect(stdout).toContain('All good!')
  })

  it('has types wherever its modules can be imported', async () => {
    // Ends with another status if it finds a problem.
    const args = [archive, '--profile', 'esm-only', '--format', 'json']
    const { stdout } = await run(resolve('node_modules/.bin/attw'), args)
    const { analysis } = JSON.parse(stdout)
    expect(Object.keys(analysis.entrypoints)).toContain('.')
  })

  it('has the version of the service', () => {
    const versions = ['package.json', 'src/client/package.json'].map(
      (path) => JSON.parse(readFileSync(path, 'utf8')).version,
    )
    expect(versions[1]).toBe(versions[0])
  })

  it('is small, has no dependencies, and imports nothing that browsers do not have', async () => {
    expect(statSync(archive).size).toBeLessThan(MAX_ARCHIVE_BYTES)
    expect(globSync('node_modules/{[!.@]*,@*/*}', { cwd: folder.path })).toEqual([
      join('node_modules', '@object-query-service', 'client'),
    ])
    const { code, imports } = await bundle()
    expect(imports).toEqual([])
    expect(code).not.toMatch(/node:|\bprocess\.|\bBuffer\b|\brequire\(/)
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(MAX_BUNDLE_BYTES)
  })

  it('runs on every supported Node.js, installed and bundled', async () => {
    writeFileSync(join(folder.path, 'bundle.mjs'), (await bundle()).code)
    const program = (entry: string) => `
      import { createClient } from '${entry}'
      const client = createClient({ baseUrl: '${service.url}', ontology: 'numbers', token: '${ADMIN_TOKEN}' })
      const numbers = await client.objects('number').where({ n: { gte: 5 } }).pageSize(6).toArray()
      console.log(numbers.length, process.versions.node.split('.')[0])`
    writeFileSync(join(folder.path, 'installed.mjs'), program('@object-query-service/client'))
    writeFileSync(join(folder.path, 'bundled.mjs'), program('./bundle.mjs'))
    for (const node of installedNodes()) {
      for (const file of ['installed.mjs', 'bundled.mjs']) {
        const { stdout } = await run(node, [join(folder.path, file)], { cwd: folder.path })
        expect(stdout).toMatch(/^20 (?:2\d|[3-9]\d)\n$/)
      }
    }
  })
})
