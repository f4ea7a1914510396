/** What the request panel copies, run as a person would: in a shell, compiled, against a service. */
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition, OntologyDefinition } from '../../src/explorer/api/ontology.ts'
import { pageRequest } from '../../src/explorer/queries/page-request.ts'
import { toClientCode, toOsdkCode } from '../../src/explorer/request/client-code.ts'
import { NotExpressible, toCurl } from '../../src/explorer/request/request-text.ts'
import type { TypeView } from '../../src/explorer/view/type-view.ts'
import { fromSearch } from '../../src/explorer/view/view-state.ts'
import { startShop } from '../support/explorer-data.ts'
import { runOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, type Service } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const run = promisify(execFile)

/** Views, with the number of their objects, and whether `@osdk/client` can express them. */
const VIEWS: readonly (readonly [search: string, count: number, hasOsdk?: boolean])[] = [
  ['w=makerCode:eq:m1&w=price:gte:10&w=price:lt:50', 10],
  ['w=isNew:eq:true&w=name:neq:Item 4&o=price:desc,id:asc', 29],
  ['w=tags:contains:odd&w=soldAt:gte:2026-02-01T00:00:00Z', 15],
  ["w=name:words:it's item 'x'", 0],
  ['w=name:prefix:item 1&at=snapshot', 11],
  ['w=size/width:lte:9&w=place:filled:', 10],
  ['in=0,0,50,30', 15],
  ['w=makerCode:in:m0,m1&w=name:notIn:Item 4,Item 5', 39],
  ['w=|price:between:10,20|name:prefix:item 3', 20],
  ['w=name:contains:TEM 1', 11],
  ['w=maker/name:words:works', 20, false],
  ['w=maker:empty:', 15, false],
  ['q=odd', 38, false],
]

let service: Service
let folder: TempFolder
let ontology: OntologyDefinition
let objectType: ObjectTypeDefinition

beforeAll(async () => {
  service = await startShop()
  ontology = (await service.send('/api/admin/v1/ontologies/shop')).body
  objectType = ontology.objectTypes.find(({ apiName }) => apiName === 'item') as never
  folder = tempFolder()
  const scope = join(folder.path, 'node_modules/@object-query-service')
  mkdirSync(scope, { recursive: true })
  symlinkSync(resolve('node_modules/@osdk'), join(folder.path, 'node_modules/@osdk'))
  symlinkSync(resolve('node_modules/@types'), join(folder.path, 'node_modules/@types'))
  symlinkSync(resolve('src/client'), join(scope, 'client'))
  writeFileSync(join(folder.path, 'package.json'), '{"type": "module"}')
  const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
  const args = ['ontology', 'types', '--ontology', 'shop', '--for', 'osdk']
  writeFileSync(join(folder.path, 'ontology.ts'), (await runOqs(args, settings)).stdout)
})
afterAll(async () => {
  folder?.[Symbol.dispose]()
  await service?.[Symbol.asyncDispose]()
})

const viewOf = (search: string): TypeView => ({
  ontology,
  objectType,
  view: fromSearch(new URLSearchParams(search)),
})

describe('the copied command', () => {
  const cases = VIEWS.map(([search, count]) => ({ search, count }))
  it.each(cases)('runs in a shell: $search', async ({ search, count }) => {
    const command = toCurl(pageRequest(viewOf(search), { pageSize: 100 }), service.url)
    const { stdout } = await run('sh', ['-c', command.replace('curl', 'curl -s')], {
      env: { ...process.env, OQS_TOKEN: ADMIN_TOKEN },
    })
    expect(JSON.parse(stdout).data?.length).toBe(count)
  })
})

describe('the copied programs', () => {
  const programs = new Map<string, { readonly text: string; readonly count: number }>()
  beforeAll(() => {
    for (const [index, [search, count, hasOsdk = true]] of VIEWS.entries()) {
      const view = viewOf(search)
      programs.set(`client-${index}.ts`, { text: toClientCode(view, service.url), count })
      const osdk = () => toOsdkCode(view, service.url)
      if (hasOsdk) programs.set(`osdk-${index}.ts`, { text: osdk(), count })
      else expect(osdk, search).toThrow(NotExpressible)
    }
    for (const [name, { text }] of programs) writeFileSync(join(folder.path, name), text)
  })

  it('compile', async () => {
    const compilerOptions = {
      target: 'es2024',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['esnext', 'dom', 'dom.iterable'],
      types: ['node'],
      strict: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
    }
    const config = { compilerOptions, include: ['*.ts'] }
    writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(config))
    const compiler = resolve('node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [compiler, '-p', folder.path]).catch(
      (error: { readonly stdout: string }) => error,
    )
    expect(stdout).toBe('')
  })

  it('run, and print the objects of the view', async () => {
    for (const [name, { text }] of programs) writeFileSync(join(folder.path, `run-${name}`), text)
    const names = [...programs.keys()]
    // One process for all: the start of a process takes longer than a program.
    writeFileSync(join(folder.path, 'run-all.ts'), runAll(names))
    const env = { ...process.env, OQS_TOKEN: ADMIN_TOKEN }
    const { stdout } = await run(process.execPath, ['run-all.ts'], { cwd: folder.path, env })
    const counts = names.map((name) => [name, programs.get(name)?.count])
    expect(JSON.parse(stdout)).toEqual(Object.fromEntries(counts))
  })
})

/** A program that runs others and prints how often each of them logged an object. */
function runAll(names: readonly string[]): string {
  return `const print = console.log
const counts = {}
for (const name of ${JSON.stringify(names)}) {
  counts[name] = 0
  console.log = () => { counts[name] += 1 }
  await import('./run-' + name)
}
print(JSON.stringify(counts))
`
}
