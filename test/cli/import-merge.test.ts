/** Imports of files that lack columns of a type whose objects have values there. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import type { Finished } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { pathWithOqs, runLine } from './shell.ts'

const type = (name: string) => ({ type: name })
const address = { type: 'struct', fields: { city: type('string'), zip: type('string') } }
const SHOP = {
  apiName: 'shop',
  objectTypes: [
    {
      apiName: 'customer',
      primaryKey: 'id',
      properties: {
        id: type('string'),
        name: type('string'),
        credit: type('integer'),
        note: type('string'),
        address,
      },
    },
  ],
}
const ADA = { id: 'a', name: 'Ada', credit: 5, address: { city: 'Rome', zip: '1' } }
const BOB = { id: 'b', name: 'Bob', credit: 7 }
const INTO = ['--ontology', 'shop', '--type', 'customer']

let service: Service
let folder: TempFolder
let settings: Environment

beforeAll(async () => {
  service = await startService()
  await service.apply(SHOP as never)
  settings = { OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN }
})
afterAll(() => service[Symbol.asyncDispose]())
beforeEach(async () => {
  folder = tempFolder()
  await service.write('shop', 'customer', [{ delete: 'c' }, { put: ADA }, { put: BOB }])
})
afterEach(() => folder[Symbol.dispose]())

function run(name: string, content: string, ...args: string[]): Promise<Finished> {
  const path = join(folder.path, name)
  writeFileSync(path, content)
  return runCommand(['import', path, ...INTO, ...args], settings)
}

async function stored(): Promise<readonly unknown[]> {
  const { text } = await service.send('/api/admin/v1/ontologies/shop/objects/customer/export')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('an import without some columns of the type', () => {
  it.each([
    ['rows.csv', 'id,name\na,Ada B.\nb,Bob\nc,Cyd\n'],
    ['rows.ndjson', '{"id":"a","name":"Ada B."}\n{"id":"b"}\n{"id":"c"}\n'],
  ])(
    'of %s is refused before anything is written, and says what would be lost',
    async (...file) => {
      const { code, stderr } = await run(...file)
      expect(code).toBe(1)
      expect(stderr).toContain(
        '2 objects of shop/customer would lose 4 values, because the files have no column for credit (2), address.city (1), address.zip (1)',
      )
      expect(stderr).toContain('--merge')
      expect(stderr).toContain('--replace-values')
      expect(await stored()).toEqual([ADA, BOB])
    },
  )

  it('empties them with --replace-values', async () => {
    expect((await run('rows.csv', 'id,name\na,Ada B.\n', '--replace-values')).code).toBe(0)
    expect(await stored()).toEqual([{ id: 'a', name: 'Ada B.' }, BOB])
  })

  it('changes only its columns with --merge, empty cells included, and creates objects', async () => {
    const rows = 'id,credit,address.zip\na,,2\nb,8,\nc,9,\n'
    const { code, stderr } = await run('rows.csv', rows, '--merge')
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 objects written')])
    expect(await stored()).toEqual([
      { id: 'a', name: 'Ada', address: { city: 'Rome', zip: '2' } },
      { ...BOB, credit: 8 },
      { id: 'c', credit: 9 },
    ])
    const again = await run('rows.csv', rows, '--merge', '--restart')
    expect(again.stderr).toContain('0 objects written to shop/customer, 3 existed and had these')
  })

  it('merges members of JSON that a row has, and removes those that are null', async () => {
    const rows = '{"id":"a","credit":6}\n{"id":"b","name":null}\n'
    expect((await run('rows.ndjson', rows, '--merge')).code).toBe(0)
    expect(await stored()).toEqual([
      { ...ADA, credit: 6 },
      { id: 'b', credit: 7 },
    ])
  })

  it('rejects invalid rows of a merge by their line, and writes the others', async () => {
    const rows = 'id,credit\na,6\nb,many\nc,9\n'
    const { code, stderr } = await run('rows.csv', rows, '--merge', '--max-errors', '1')
    expect([code, stderr]).toEqual([0, expect.stringContaining('rows.csv:3: credit "many"')])
    expect(await stored()).toEqual([{ ...ADA, credit: 6 }, BOB, { id: 'c', credit: 9 }])
  })

  it('is written without a word if no object has a value there', async () => {
    expect((await run('rows.csv', 'id,name,credit,note\nb,Bo,7,x\n')).code).toBe(0)
    expect((await run('new.csv', 'id,name\nc,Cyd\n')).code).toBe(0)
    expect(await stored()).toEqual([
      ADA,
      { ...BOB, name: 'Bo', note: 'x' },
      { id: 'c', name: 'Cyd' },
    ])
  })

  it('is refused with the rows of a pipe before their batch is written', async () => {
    const line = `printf 'id,name\\na,x\\n' | oqs import - ${INTO.join(' ')}`
    const { code, stderr } = await runLine(line, folder.path, {
      ...settings,
      PATH: pathWithOqs(folder.path),
    })
    expect([code, stderr]).toEqual([1, expect.stringContaining('1 object of shop/customer would')])
    expect(await stored()).toEqual([ADA, BOB])
  })
})

it('an interrupted import that infers how rows are read does not infer it again', async () => {
  const day = { type: 'date' }
  const properties = { id: type('string'), day }
  await service.apply({
    apiName: 'diary',
    objectTypes: [{ apiName: 'entry', primaryKey: 'id', properties }],
  } as never)
  await service.write('diary', 'entry', [{ put: { id: 'first' } }])
  const rows = Array.from({ length: 12_000 }, (_, index) => `k${index},31.12.2024`)
  const path = join(folder.path, 'entries.csv')
  writeFileSync(path, ['id,day', ...rows.with(11_000, 'broken'), ''].join('\n'))
  const into = ['--ontology', 'diary', '--type', 'entry', '--infer']
  const run = () =>
    runCommand(['import', path, ...into], { ...settings, XDG_STATE_HOME: folder.path })
  const first = await run()
  expect(first.stderr).toContain('entry: day: dates as DD.MM.YYYY')
  expect(first.stderr).toContain('10,000 objects written')
  const second = await run()
  expect(second.stderr).toContain('continuing after the first')
  expect(second.stderr).not.toContain('dates as')
  // It reads the rest in the same way, up to the row that is broken.
  expect(second.stderr).toContain('entries.csv:11002: has 1 column')
})
