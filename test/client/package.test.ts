/** The packed package: its entry is valid, small, and runs wherever it is installed. */
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestAssets } from '../support/explorer-assets.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { startNode, waitForLine } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const run = promisify(execFile)
const MAX_BUNDLE_BYTES = 10_000

let folder: TempFolder
let tarball: string
let installed: string
let service: Service
beforeAll(async () => {
  folder = tempFolder()
  await buildUnchecked()
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder.path]
  await run('npm', pack)
  tarball = join(folder.path, readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '')
  // As npm unpacks it; the client has no dependencies to install.
  installed = join(folder.path, 'node_modules/object-query-service')
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(25))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Builds as `npm pack` does, but leaves the types to `npm run types`: checking takes far longer. */
async function buildUnchecked(): Promise<void> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(scripts.prepack).toBe('npm run build')
  const compile = 'tsc -p tsconfig.build.json'
  expect(scripts.build).toContain(compile)
  const command = scripts.build.replace(compile, `${compile} --noCheck`)
  const PATH = `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH']}`
  await run(command, { shell: true, env: { ...process.env, PATH } })
}

/** The Node.js that runs the tests, and those on the path, which may be older. */
function installedNodes(): Set<string> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, 'node'))
  return new Set(
    [process.execPath, ...onPath.filter((path) => existsSync(path))].map((path) =>
      realpathSync(path),
    ),
  )
}

/** The text of every module that the entry imports, and the bundle for browsers. */
async function bundle() {
  const build = await rolldown({
    input: join(installed, 'dist/client/index.js'),
    platform: 'browser',
  })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  return output[0]
}

describe('the package', () => {
  it('has no mistakes that publint finds', async () => {
    const { stdout } = await run(resolve('node_modules/.bin/publint'), ['run', '--strict', tarball])
    expect(stdout).toContain('All good!')
  })

  it('has types wherever its modules can be imported', async () => {
    // Ends with another status if it finds a problem.
    const args = [tarball, '--profile', 'esm-only', '--format', 'json']
    const { stdout } = await run(resolve('node_modules/.bin/attw'), args)
    const { analysis } = JSON.parse(stdout)
    expect(Object.keys(analysis.entrypoints)).toContain('./client')
  })

  it('has the explorer, with its administration', async () => {
    // In place of the install of its dependencies.
    symlinkSync(resolve('node_modules'), join(installed, 'node_modules'))
    const settings = { OQS_PORT: '0', OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}` }
    await using packed = startNode([join(installed, 'bin/oqs.js'), 'serve'], settings)
    const names = await requestAssets(await waitForLine(packed, 'listening on '))
    expect(names.some((name) => name.startsWith('admin-screen-'))).toBe(true)
  })

  it('exports the client and nothing else', async () => {
    const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(Object.keys(exports)).toEqual(['./client', './package.json'])
  })
})

describe('the client entry', () => {
  it('is small, and imports nothing that browsers do not have', async () => {
    const { code, imports, moduleIds } = await bundle()
    expect(imports).toEqual([])
    expect(code).not.toMatch(/node:|\bprocess\.|\bBuffer\b|\brequire\(/)
    expect(moduleIds.filter((id) => !id.includes('/dist/client/'))).toEqual([])
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(MAX_BUNDLE_BYTES)
  })

  it('runs on every supported Node.js, installed and bundled', async () => {
    writeFileSync(join(folder.path, 'bundle.mjs'), (await bundle()).code)
    const program = (entry: string) => `
      import { createClient } from '${entry}'
      const client = createClient({ baseUrl: '${service.url}', ontology: 'numbers', token: '${ADMIN_TOKEN}' })
      const numbers = await client.objects('number').where({ n: { gte: 5 } }).pageSize(6).toArray()
      console.log(numbers.length, process.versions.node.split('.')[0])`
    writeFileSync(join(folder.path, 'installed.mjs'), program('object-query-service/client'))
    writeFileSync(join(folder.path, 'bundled.mjs'), program('./bundle.mjs'))
    for (const node of installedNodes()) {
      for (const file of ['installed.mjs', 'bundled.mjs']) {
        const { stdout } = await run(node, [join(folder.path, file)], { cwd: folder.path })
        expect(stdout).toMatch(/^20 (?:2\d|[3-9]\d)\n$/)
      }
    }
  })
})
