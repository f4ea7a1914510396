import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { runOqs } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

let service: Service
let settings: Environment
let folder: TempFolder

beforeAll(async () => {
  service = await startService()
  settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
})
afterAll(() => service[Symbol.asyncDispose]())
beforeEach(() => {
  folder = tempFolder()
})
afterEach(() => folder[Symbol.dispose]())

const SHOP = {
  apiName: 'shop',
  objectTypes: [{ apiName: 'item', primaryKey: 'id', properties: { id: { type: 'integer' } } }],
}

/** Four mistakes: two that the schema finds, and two between parts that match it. */
const MISTAKEN = {
  apiName: 'shop',
  objectTypes: [
    { apiName: 'item', primaryKey: 'id', properties: { id: { type: 'strng' } } },
    { apiName: 'maker', primaryKey: 'code', colour: 'red', properties: { id: { type: 'string' } } },
    { apiName: 'order', primaryKey: 'no', properties: { id: { type: 'string' } } },
  ],
  linkTypes: [{ apiName: 'maker', from: 'order', to: 'makers', foreignKey: 'id' }],
}

const MISTAKES = [
  expect.stringMatching(/^ {2}objectTypes\[0\]\.properties\.id\.type must be one of string, /),
  expect.stringMatching(/^ {2}objectTypes\[1\]\.colour is unknown; allowed members: /),
  '  objectTypes[2].primaryKey the object type has no property no',
  '  linkTypes[0].to the ontology has no object type makers',
]

function file(name: string, json: unknown): string {
  const path = join(folder.path, name)
  writeFileSync(path, typeof json === 'string' ? json : JSON.stringify(json))
  return path
}

const lines = (text: string) => text.trimEnd().split('\n')

describe('oqs ontology validate', () => {
  it('needs no service, and prints every mistake on a line of its own', async () => {
    const path = file('shop.json', MISTAKEN)
    const { code, stdout, stderr } = await runCommand(['ontology', 'validate', path], {})
    expect([code, stdout]).toEqual([1, ''])
    expect(lines(stderr)).toEqual([
      `oqs: ${path} is invalid:`,
      ...MISTAKES,
      'oqs: 1 of 1 definition invalid',
    ])
  })

  it('checks every file of a folder, and that they define different ontologies', async () => {
    mkdirSync(join(folder.path, 'all'))
    const shop = file('all/shop.json', { $schema: '../ontology.schema.json', ...SHOP })
    const copy = file('all/shop2.json', SHOP)
    const broken = file('all/broken.json', '{"apiName":')
    file('all/notes.txt', 'not a definition')
    const { code, stdout, stderr } = await runCommand(
      ['ontology', 'validate', join(folder.path, 'all')],
      {},
    )
    expect([code, stdout]).toEqual([1, `${shop}: valid: 1 object type, 0 link types\n`])
    expect(lines(stderr)).toEqual([
      `oqs: ${broken} is invalid:`,
      expect.stringMatching(/^ {2}.+ is not JSON: /),
      `oqs: ${copy} is invalid:`,
      `  apiName shop is also defined in ${shop}`,
      'oqs: 2 of 3 definitions invalid',
    ])
  })

  it('exits with 0 if all is valid, and with 2 on wrong usage', async () => {
    const valid = await runCommand(['ontology', 'validate', file('shop.json', SHOP)], {})
    expect([valid.code, valid.stderr]).toEqual([0, ''])
    expect((await runCommand(['ontology', 'validate'], {})).code).toBe(2)
  })
})

describe('a definition with mistakes', () => {
  it('is refused with all of them, each on a line of its own', async () => {
    const path = file('shop.json', MISTAKEN)
    const { code, stderr } = await runCommand(['ontology', 'apply', path], settings)
    expect(code).toBe(1)
    const [headline, ...reasons] = lines(stderr)
    expect(headline).toEqual(
      expect.stringMatching(
        /^oqs: InvalidOntologyDefinition: The ontology definition is invalid\. /,
      ),
    )
    expect(reasons).toEqual(MISTAKES)
  })

  it('lists at most 20 mistakes', async () => {
    const objectTypes = Array.from({ length: 50 }, () => ({ apiName: '?' }))
    const { body } = await service.send('/api/admin/v1/ontologies/many', {
      method: 'PUT',
      json: { apiName: 'many', objectTypes },
    })
    expect(body.parameters.mistakes).toHaveLength(20)
  })
})

describe('a definition with $schema', () => {
  it('is accepted, and stored without it', async () => {
    const path = file('shop.json', { $schema: './ontology.schema.json', ...SHOP })
    const { code } = await runCommand(['ontology', 'apply', path], settings)
    expect(code).toBe(0)
    const { body } = await service.send('/api/admin/v1/ontologies/shop')
    expect(body).toMatchObject(SHOP)
    expect(body).not.toHaveProperty('$schema')
  })

  it('can be checked by the printed schema', async () => {
    const { code, stdout } = await runCommand(['ontology', 'schema'], {})
    expect(code).toBe(0)
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(stdout))
    const nested = { type: 'struct', fields: { a: { type: 'struct', fields: {} } } }
    expect(validate({ $schema: 'x', ...SHOP })).toBe(true)
    expect(validate(MISTAKEN)).toBe(false)
    const [item] = SHOP.objectTypes
    const objectTypes = [{ ...item, properties: { ...item?.properties, nested } }]
    expect(validate({ ...SHOP, objectTypes })).toBe(false)
  })
})

describe('--output -', () => {
  beforeAll(async () => {
    await service.apply({ ...SHOP, apiName: 'outputs' } as Parameters<Service['apply']>[0])
    await service.put('outputs', 'item', [{ id: 1 }])
  })

  it('writes an export to standard output', async () => {
    const args = ['export', '--ontology', 'outputs', '--type', 'item', '--output', '-']
    expect(await runCommand(args, settings)).toMatchObject({ code: 0, stdout: '{"id":1}\n' })
  })

  it('writes an archive to standard output', async () => {
    const args = ['ontology', 'export', 'outputs', '--output', '-']
    const { code, stdout, stderr } = await runOqs(args, settings)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('objects/item.ndjson')
    expect(stdout).toContain('{"id":1}\n')
    expect(stdout).toContain('oqs-archive')
  })

  it('writes types to standard output, and counts them in messages', async () => {
    const args = ['ontology', 'types', '--ontology', 'outputs', '--out']
    const { stdout } = await runCommand([...args, '-'], settings)
    const path = join(folder.path, 'types.ts')
    const { stderr } = await runCommand([...args, path], settings)
    expect(stdout).toBe(readFileSync(path, 'utf8'))
    expect(stderr).toBe(`oqs: wrote 1 object type of outputs to ${path}\n`)
  })

  it('counts a single object in messages', async () => {
    const path = join(folder.path, 'item.csv')
    const args = ['export', '--ontology', 'outputs', '--type', 'item', '--output', path]
    const { stderr } = await runCommand(args, settings)
    expect(stderr).toMatch(/^oqs: export complete: 1 object, /)
  })
})

describe('a definition of another service', () => {
  it('is applied without RIDs, whether the ontology exists or not', async () => {
    await using staging = await startService()
    await using production = await startService()
    const at = ({ url }: Service) => ({ OQS_URL: url, OQS_TOKEN: ADMIN_TOKEN })
    for (const each of [staging, production]) {
      const path = file('shop.json', SHOP)
      expect((await runCommand(['ontology', 'apply', path], at(each))).code).toBe(0)
    }
    const { body: before } = await production.send('/api/admin/v1/ontologies/shop')

    const shown = await runCommand(['ontology', 'show', 'shop'], at(staging))
    const foreign = file('foreign.json', shown.stdout)
    const refused = await runCommand(['ontology', 'apply', foreign], at(production))
    expect([refused.code, lines(refused.stderr)]).toEqual([
      1,
      [
        expect.stringMatching(
          /^oqs: InvalidOntologyDefinition: The ontology definition is invalid\. /,
        ),
        expect.stringMatching(/^ {2}rid is not ri\S+, the RID of this ontology; leave RIDs out /),
        expect.stringMatching(
          /^ {2}objectTypes\[0\]\.rid is not .+`oqs ontology show --portable`\)$/,
        ),
      ],
    ])

    const portable = await runCommand(['ontology', 'show', 'shop', '--portable'], at(staging))
    expect(JSON.parse(portable.stdout)).toEqual(SHOP)
    const path = file('portable.json', portable.stdout)
    expect((await runCommand(['ontology', 'apply', path], at(production))).code).toBe(0)
    expect((await production.send('/api/admin/v1/ontologies/shop')).body).toEqual(before)
  })

  it('keeps its RIDs if the service has no ontology of this name, also in an archive', async () => {
    await using fresh = await startService()
    await using copied = await startService()
    await service.apply({ ...SHOP, apiName: 'kept' } as Parameters<Service['apply']>[0])
    await service.put('kept', 'item', [{ id: 1 }])
    const { body: original } = await service.send('/api/admin/v1/ontologies/kept')
    const at = ({ url }: Service) => ({ OQS_URL: url, OQS_TOKEN: ADMIN_TOKEN })
    const applied = await runCommand(['ontology', 'apply', file('kept.json', original)], at(fresh))
    expect(applied.code).toBe(0)
    expect((await fresh.send('/api/admin/v1/ontologies/kept')).body).toEqual(original)

    const archive = join(folder.path, 'kept.tar')
    await runCommand(['ontology', 'export', 'kept', '--output', archive], settings)
    await runCommand(['ontology', 'import', archive], at(copied))
    expect((await copied.send('/api/admin/v1/ontologies/kept')).body).toEqual(original)

    // A service that has RIDs of its own keeps these.
    await using own = await startService()
    await own.apply({ ...SHOP, apiName: 'kept' } as Parameters<Service['apply']>[0])
    const { body: before } = await own.send('/api/admin/v1/ontologies/kept')
    const replaced = await runCommand(['ontology', 'import', archive, '--replace'], at(own))
    expect([replaced.code, replaced.stderr]).toEqual([
      0,
      'oqs: 1 object of 1 object type written to kept\n',
    ])
    expect((await own.send('/api/admin/v1/ontologies/kept')).body).toEqual(before)
  })
})
