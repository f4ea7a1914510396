import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { runInProcess } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const LONG_NAME = `t${'o'.repeat(120)}`

const DEFINITION: OntologyDefinition = {
  apiName: 'shop',
  families: ['shop'],
  objectTypes: [
    {
      apiName: 'item',
      primaryKey: 'id',
      properties: {
        id: { type: 'long' },
        name: { type: 'string' },
        isNew: { type: 'boolean' },
        size: { type: 'byte' },
        shelf: { type: 'short' },
        count: { type: 'integer' },
        ratio: { type: 'float' },
        weight: { type: 'double' },
        price: { type: 'decimal' },
        made: { type: 'date' },
        sold: { type: 'timestamp' },
        place: { type: 'geopoint' },
        area: { type: 'geoshape' },
        tags: { type: 'array', items: { type: 'string' } },
        numbers: { type: 'array', items: { type: 'long' } },
        box: {
          type: 'struct',
          fields: {
            width: { type: 'double' },
            on: { type: 'date' },
            inside: {
              type: 'struct',
              fields: {
                colours: { type: 'array', items: { type: 'string' } },
                layers: {
                  type: 'array',
                  items: {
                    type: 'struct',
                    fields: {
                      at: { type: 'timestamp' },
                      count: { type: 'long' },
                      spot: { type: 'geopoint' },
                    },
                  },
                },
              },
            },
          },
        },
        parts: {
          type: 'array',
          items: { type: 'struct', fields: { sku: { type: 'string' }, at: { type: 'timestamp' } } },
        },
      },
    },
    { apiName: 'empty', primaryKey: 'id', properties: { id: { type: 'string' } } },
    { apiName: LONG_NAME, primaryKey: 'id', properties: { id: { type: 'string' } } },
  ],
}

const FULL = {
  id: '9007199254740993',
  name: 'Zürich "1"',
  isNew: true,
  size: -128,
  shelf: 32767,
  count: -5,
  ratio: 0.5,
  weight: 'NaN',
  price: '12.50',
  made: '0001-01-01',
  sold: '2024-02-29T12:30:00.123456Z',
  place: { type: 'Point', coordinates: [8.5, 47.4] },
  area: { type: 'MultiPoint', coordinates: [[1, 2]] },
  tags: ['a', '', 'c'],
  numbers: ['1', '-9223372036854775808'],
  box: {
    width: 0.1,
    on: '2024-01-02',
    inside: {
      colours: ['red', ''],
      layers: [
        {
          at: '2024-02-29T12:30:00.123456Z',
          count: '7',
          spot: { type: 'Point', coordinates: [8.5, 47.4] },
        },
        {},
      ],
    },
  },
  parts: [{ sku: 'p', at: '1969-12-31T23:59:59.5Z' }, { sku: 'q' }],
}
const ITEMS = [FULL, { id: '1' }, { id: '2', tags: [], parts: [], name: '' }]

let service: Service
let folder: TempFolder

beforeAll(async () => {
  service = await startService()
  folder = tempFolder()
  await service.apply(DEFINITION)
  await service.put('shop', 'item', ITEMS)
  await service.put('shop', LONG_NAME, [{ id: 'a' }])
})
afterAll(async () => {
  folder[Symbol.dispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  vi.stubEnv('OQS_URL', service.url)
  vi.stubEnv('OQS_TOKEN', ADMIN_TOKEN)
})

const path = (name: string) => join(folder.path, name)

/** Returns the objects of a type. */
async function exported(ontology: string, type = 'item'): Promise<string> {
  return (await service.send(`/api/admin/v1/ontologies/${ontology}/objects/${type}/export`)).text
}

describe('an archive of an ontology', () => {
  const archive = () => path('shop.tar')

  it('holds the definition, the objects of each type and the counts, for any program', async () => {
    const { error, stderr } = await runInProcess(
      'ontology',
      'export',
      'shop',
      '--output',
      archive(),
    )
    expect([error, stderr]).toEqual(['', expect.stringMatching(/^oqs: export complete: 4 objects/)])
    mkdirSync(path('out'))
    execFileSync('tar', ['-xf', archive(), '-C', path('out')])
    const read = (name: string) => readFileSync(path(`out/${name}`), 'utf8')
    expect(JSON.parse(read('definition.json'))).toMatchObject(DEFINITION)
    expect(read('objects/item.ndjson')).toBe(await exported('shop'))
    expect(read('objects/empty.ndjson')).toBe('')
    expect(JSON.parse(read('manifest.json'))).toEqual({
      format: 'oqs-archive',
      formatVersion: 1,
      ontology: 'shop',
      objectTypes: {
        item: { count: 3, version: 1 },
        empty: { count: 0, version: 0 },
        [LONG_NAME]: { count: 1, version: 1 },
      },
    })
  })

  it('is imported under another name, also after it was packed and compressed again', async () => {
    execFileSync('tar', ['-czf', path('again.tar.gz'), '-C', path('out'), '.'])
    for (const [name, file] of [
      ['copy', archive()],
      ['again', path('again.tar.gz')],
    ] as const) {
      const { error, stderr } = await runInProcess('ontology', 'import', file, '--as', name)
      expect([error, stderr]).toEqual(['', `oqs: 4 objects of 3 object types written to ${name}\n`])
      expect(await exported(name)).toBe(await exported('shop'))
      expect(await exported(name, LONG_NAME)).toBe('{"id":"a"}\n')
    }
  })

  it('replaces the objects of an ontology that exists only with --replace', async () => {
    await service.put('copy', 'item', [{ id: '77' }])
    await service.put('copy', 'empty', [{ id: 'x' }])
    const args = ['ontology', 'import', archive(), '--as', 'copy']
    expect((await runInProcess(...args)).error).toContain('exists. Pass --replace')
    expect((await runInProcess(...args, '--replace')).error).toBe('')
    expect(await exported('copy')).toBe(await exported('shop'))
    expect(await exported('copy', 'empty')).toBe('')
  })

  it('is refused if it is truncated, changed or something else', async () => {
    const bytes = readFileSync(archive())
    writeFileSync(path('cut.tar'), bytes.subarray(0, bytes.length - 4096))
    writeFileSync(path('other.tar'), 'x'.repeat(2048))
    writeFileSync(path('out/objects/item.ndjson'), '{"id":"1"}\n')
    execFileSync('tar', ['-cf', path('changed.tar'), '-C', path('out'), '.'])
    for (const [file, reason] of [
      ['cut.tar', /cut\.tar: (?:is truncated|has no manifest\.json)/],
      ['other.tar', /other\.tar: is not a tar archive/],
      ['none.tar', /none\.tar: the file does not exist/],
      ['changed.tar', /item\.ndjson has 1 objects, but the manifest says 3/],
    ] as const) {
      const { error } = await runInProcess(
        'ontology',
        'import',
        path(file),
        '--as',
        'copy',
        '--replace',
      )
      expect(error).toMatch(reason)
    }
    expect(await exported('copy')).toBe(await exported('shop'))
  })

  it('leaves no file behind if the export fails', async () => {
    const output = path('none.tar')
    const { error } = await runInProcess('ontology', 'export', 'nothing', '--output', output)
    expect(error).toContain('OntologyNotFound')
    expect([existsSync(output), existsSync(`${output}.part`)]).toEqual([false, false])
  })
})

describe('an export as Parquet', () => {
  const item = ['--ontology', 'shop', '--type', 'item']

  it('has every value, and is imported as the same objects of an equal type', async () => {
    const output = path('items.parquet')
    const { error, stderr } = await runInProcess('export', ...item, '--output', output)
    expect([error, stderr]).toEqual(['', expect.stringMatching(/^oqs: export complete: 3 objects/)])
    const target = ['--ontology', 'fromParquet', '--type', 'item', '--infer', '--key', 'id']
    expect((await runInProcess('import', output, ...target)).error).toBe('')
    const { text } = await service.send('/api/admin/v1/ontologies/fromParquet')
    const [type] = JSON.parse(text).objectTypes
    expect(type.properties).toEqual(DEFINITION.objectTypes[0]?.properties)
    expect(await exported('fromParquet')).toBe(await exported('shop'))
  })

  it('can be selected and filtered, and written to standard output', async () => {
    const where = JSON.stringify({ type: 'eq', field: 'properties.count', value: -5 })
    const args = [...item, '--format', 'parquet', '--select', 'name', '--where', where]
    const { error, stdout } = await runInProcess('export', ...args)
    expect(error).toBe('')
    writeFileSync(path('one.parquet'), stdout, 'latin1')
    const target = ['--ontology', 'one', '--type', 'item', '--infer', '--key', 'id']
    expect((await runInProcess('import', path('one.parquet'), ...target)).error).toBe('')
    expect(await exported('one')).toBe('{"id":"9007199254740993","name":"Zürich \\"1\\""}\n')
  })
})
