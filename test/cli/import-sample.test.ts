/** Types that are inferred from a sample of a large file, and proven while all of it is loaded. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const ROWS = 21_000
const REFUTED =
  'later rows differ from the first 20,000 rows, so the type is inferred from all of them'

let service: Service
let folder: TempFolder
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  folder = tempFolder()
})
afterEach(() => folder[Symbol.dispose]())

const settings = () => ({ OQS_URL: service.url, OQS_TOKEN: ADMIN_TOKEN })

function write(name: string, lines: readonly string[]): string {
  const path = join(folder.path, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Returns the lines of a file with some of them replaced; the header is line 1. */
function lines(changed: Readonly<Record<number, string>> = {}): string[] {
  const header = 'code,name,count,day,empty'
  const rows = Array.from(
    { length: ROWS },
    (_, at) => `T${at},Name ${at % 7},${at % 90},01/02/2023,`,
  )
  return [header, ...rows].map((line, at) => changed[at + 1] ?? line)
}

async function stored(ontology: string): Promise<string[]> {
  const { text } = await service.send(`/api/admin/v1/ontologies/${ontology}/objects/row/export`)
  return text.split('\n').slice(0, -1)
}

async function definitionOf(ontology: string): Promise<unknown> {
  const { text } = await service.send(`/api/admin/v1/ontologies/${ontology}`)
  const { objectTypes } = JSON.parse(text) as { readonly objectTypes: readonly object[] }
  return objectTypes.map((type) => ({ ...type, rid: undefined }))
}

let count = 0

/** Imports files, and compares the type and the notes with those of an inference from all rows. */
async function importSampled(paths: readonly string[], ...options: string[]) {
  count += 1
  const ontology = `sampled${count}`
  const target = ['--ontology', ontology, '--type', 'row']
  const result = await runCommand(
    ['import', ...paths, ...target, '--infer', ...options],
    settings(),
  )
  const inference = await runCommand(['ontology', 'infer', ...paths, ...target], settings())
  const [{ displayName: _name, ...expected }] = JSON.parse(inference.stdout).objectTypes
  expect([result.code, result.stderr]).toEqual([0, expect.stringContaining(inference.stderr)])
  expect(await definitionOf(ontology)).toEqual([expected])
  return { stderr: result.stderr, objects: await stored(ontology), ontology }
}

describe('a type that is inferred from a sample', () => {
  it('is that of all rows if they are alike', async () => {
    const { stderr, objects } = await importSampled([write('row.csv', lines())])
    expect(stderr).toContain(`inferred from 21,000 rows and 5 columns`)
    expect(stderr).toContain('primary key: code; no other column qualifies')
    expect(stderr).not.toContain(REFUTED)
    expect(objects).toHaveLength(ROWS)
  })

  it.each([
    ['a text among numbers', { 20500: 'T20498,Name,many,01/02/2023,' }, '"count":"many"'],
    ['a larger number', { 20500: 'T20498,Name,123456789,01/02/2023,' }, '"count":"123456789"'],
    ['a fraction', { 20900: 'T20898,Name,1.5,01/02/2023,' }, '"count":1.5'],
    [
      'a day that only one format has',
      { 20500: 'T20498,Name,1,31/12/2023,' },
      '"day":"2023-12-31"',
    ],
    ['a value of an empty column', { 21001: 'T20999,Name,1,01/02/2023,7' }, '"empty":7'],
    ['a repeated key', { 20500: 'T5,Name,1,01/02/2023,' }, '"row":20499,"code":"T5"'],
    ['a missing key', { 20500: ',Name,1,01/02/2023,' }, '"row":20499,"name"'],
  ])('is inferred again for %s', async (_, changed, expected) => {
    const { stderr, objects } = await importSampled([write('row.csv', lines(changed))])
    expect(objects).toHaveLength(ROWS)
    expect(objects.filter((object) => object.includes(expected))).toHaveLength(1)
    expect(stderr).toContain(REFUTED)
  })

  it('is inferred again for a member that no object of the sample has', async () => {
    const objects = Array.from({ length: ROWS }, (_, at) => `{"id":${at},"name":"n${at % 9}"}`)
    objects[20_500] = '{"id":20500,"late":[1,2]}'
    const result = await importSampled([write('row.ndjson', objects)])
    expect(result.stderr).toContain(REFUTED)
    expect(result.objects.filter((object) => object.includes('"late":[1,2]'))).toHaveLength(1)
  })

  it('is proven with rows that cannot be read, which are reported after the notes', async () => {
    const rejects = join(folder.path, 'rejects.ndjson')
    const path = write('row.csv', lines({ 20500: 'T20498,Name' }))
    const options = ['--max-errors', '1', '--rejects', rejects]
    const { stderr, objects } = await importSampled([path], ...options)
    expect(stderr).not.toContain(REFUTED)
    expect(stderr).toMatch(/1 row could not be read.*row.csv:20500: has 2 columns/s)
    expect(stderr).toContain('20,999 objects written')
    expect(objects).toHaveLength(ROWS - 1)
    expect(JSON.parse(readFileSync(rejects, 'utf8'))).toMatchObject({ line: 20_500 })
  })

  it('leaves nothing behind if too many rows are rejected', async () => {
    const path = write('row.csv', lines({ 20500: 'T20498,Name' }))
    const target = ['--ontology', 'rejected', '--type', 'row', '--infer']
    const { code, stderr } = await runCommand(['import', path, ...target], settings())
    expect([code, stderr]).toEqual([1, expect.stringContaining('a row was rejected')])
    expect(stderr).toContain('inferred from 20,999 rows')
    expect(stderr.match(/row.csv:20500/g)).toHaveLength(1)
    expect((await service.send('/api/admin/v1/ontologies/rejected')).status).toBe(404)
  })
})
