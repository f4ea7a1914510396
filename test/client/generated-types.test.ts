/** The types that `oqs ontology types` writes, compiled with good and bad programs. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeClientTypes } from '../../src/cli/ontology-types/client-types.ts'
import type { WireAction } from '../../src/cli/ontology-types/full-metadata.ts'
import { metadataOf } from '../../src/cli/ontology-types/metadata-of-definition.ts'
import { writeOsdkTypes } from '../../src/cli/ontology-types/osdk-types.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import {
  CLIENT_PROGRAM,
  LIBRARY,
  ODD_NAMES,
  OSDK_ACTION_PROGRAM,
  OSDK_PROGRAM,
  WORK_INTERFACE,
} from './generated-programs.ts'

const COMPILER_OPTIONS = {
  target: 'es2024',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  noUnusedLocals: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  noEmit: true,
}

let service: Service
let folder: TempFolder
beforeAll(async () => {
  service = await startService()
  await service.apply(LIBRARY)
  await service.apply(ODD_NAMES)
  folder = tempFolder()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function generate(...args: string[]): Promise<string> {
  const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
  const { code, stdout, stderr } = await runCommand(['ontology', 'types', ...args], settings)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

/** Compiles programs in a folder where the packages can be imported; returns the mistakes. */
function compile(name: string, files: Record<string, string>, options = {}): string {
  const path = join(folder.path, name)
  const scope = join(path, 'node_modules/@object-query-service')
  mkdirSync(scope, { recursive: true })
  symlinkSync(resolve('node_modules/@osdk'), join(path, 'node_modules/@osdk'))
  symlinkSync(resolve('src/client'), join(scope, 'client'))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  const config = { compilerOptions: { ...COMPILER_OPTIONS, ...options }, include: ['*.ts'] }
  writeFileSync(join(path, 'tsconfig.json'), JSON.stringify(config))
  const compiler = resolve('node_modules/typescript/bin/tsc')
  // Several checkers would each check the declarations of the platform.
  const args = [compiler, '-p', path, '--singleThreaded']
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return run.status === 0 ? '' : `status ${run.status}: ${run.stdout}${run.stderr}`
}

describe('the types of an ontology', () => {
  it('are compiled by a compiler that finds mistakes', () => {
    expect(compile('mistake', { 'a.ts': 'export const a: string = 1\n' })).toContain('TS2322')
  })

  it('let our client compile with valid queries only', async () => {
    const types = await generate('--ontology', 'library')
    const files = { 'library.ts': types, 'program.ts': CLIENT_PROGRAM }
    expect(compile('client', files)).toBe('')
    expect(compile('exact', files, { exactOptionalPropertyTypes: true })).toBe('')
  })

  it('let @osdk/client compile with valid queries only', async () => {
    const types = await generate('--ontology', 'library', '--for', 'osdk')
    // The declarations of the package itself do not compile without this.
    const options = { skipLibCheck: true }
    expect(compile('osdk', { 'library.ts': types, 'program.ts': OSDK_PROGRAM }, options)).toBe('')
  })

  it('let @osdk/client apply actions, and query interfaces', async () => {
    const metadata = await service.send('/api/v2/ontologies/library/fullMetadata')
    const actions = await service.send('/api/v2/ontologies/library/actionTypes')
    const extended = {
      ...metadata.body,
      actionTypes: Object.fromEntries(
        actions.body.data.map((action: WireAction) => [action.apiName, action]),
      ),
      interfaceTypes: { work: WORK_INTERFACE },
      objectTypes: {
        ...metadata.body.objectTypes,
        book: {
          ...metadata.body.objectTypes.book,
          implementsInterfaces2: { work: { properties: { label: 'title' } } },
        },
      },
    }
    const types = writeOsdkTypes(extended, { version: '1.0.0' })
    const files = { 'library.ts': types, 'program.ts': OSDK_ACTION_PROGRAM }
    expect(compile('actions', files, { skipLibCheck: true })).toBe('')
    expect(types).toContain("    interfaceMap: {\n      work: {\n        label: 'title'")
  })

  it('are valid for odd names, and say what is omitted', async () => {
    const client = await generate('--ontology', 'odd')
    const osdk = await generate('--ontology', 'odd', '--for', 'osdk')
    expect(compile('odd', { 'client.ts': client, 'osdk.ts': osdk }, { skipLibCheck: true })).toBe(
      '',
    )
    expect(client).toContain('export interface MyTypeV2 {')
    expect(client).toContain('export interface MyTypeV2_2 {')
    expect(client).toContain("  readonly 'a-b'?: string\n")
    expect(client).toContain('/** Ends *\\/ early */')
    expect(osdk).toContain('export const my_type_v2 = {')
    expect(osdk).toContain('export const class_2 = {')
    expect(osdk).toContain('// flag is omitted')
  })

  it('are the same from the service and from a file, and every time', async () => {
    const fromService = await generate('--ontology', 'library')
    expect(await generate('--ontology', 'library')).toBe(fromService)
    expect(writeClientTypes(metadataOf(LIBRARY))).toBe(fromService)
    const file = join(folder.path, 'library.json')
    const definition = await service.send('/api/admin/v1/ontologies/library')
    writeFileSync(file, definition.text)
    expect(await generate(file)).toBe(fromService)
    expect(await generate(file, '--for', 'osdk')).toContain('export const $ontologyRid')
  })

  it('need either a file or an ontology, and RIDs for @osdk/client', async () => {
    const settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
    expect((await runCommand(['ontology', 'types'], settings)).code).toBe(2)
    const file = join(folder.path, 'without-rids.json')
    writeFileSync(file, JSON.stringify(LIBRARY))
    const { code, stderr } = await runCommand(
      ['ontology', 'types', file, '--for', 'osdk'],
      settings,
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(/has no RIDs.*oqs ontology types --ontology library --for osdk/)
    const unknown = await runCommand(['ontology', 'types', '--ontology', 'x'], settings)
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('OntologyNotFound')])
  })
})
