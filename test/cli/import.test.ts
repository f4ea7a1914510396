import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { type Finished, startOqs } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { AIRPORTS, airportsCsv, SMALL_AVIATION } from './aviation.ts'
import { pathWithOqs, runLine } from './shell.ts'

let service: Service
let folder: TempFolder
let settings: Environment

beforeAll(async () => {
  service = await startService()
  await service.apply(SMALL_AVIATION)
  settings = {
    OQS_URL: service.url,
    OQS_TOKEN: ADMIN_TOKEN,
  }
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  folder = tempFolder()
})
afterEach(() => folder[Symbol.dispose]())

const AIRPORT = ['--ontology', 'aviation', '--type', 'airport']

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder.path, name)
  writeFileSync(path, content)
  return path
}

function runImport(...args: string[]): Promise<Finished> {
  return runCommand(['import', ...args], settings)
}

async function storedObjects(
  ontology = 'aviation',
  type = 'airport',
): Promise<Record<string, unknown>[]> {
  const { text } = await service.send(`/api/admin/v1/ontologies/${ontology}/objects/${type}/export`)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

async function clear(): Promise<void> {
  const lines = (await storedObjects()).map(({ iata }) => ({ delete: iata }))
  await service.write('aviation', 'airport', lines)
}

const ndjson = AIRPORTS.map((airport) => `${JSON.stringify(airport)}\n`).join('')

describe('an import', () => {
  beforeEach(clear)

  it.each([
    ['airports.csv', airportsCsv()],
    ['airports.ndjson', ndjson],
    ['airports.json', JSON.stringify(AIRPORTS, null, 2)],
    ['airports.csv.gz', gzipSync(airportsCsv())],
    ['airports.jsonl.zst', zstdCompressSync(ndjson)],
  ])('of %s writes every row as an object', async (name, content) => {
    const { code, stdout, stderr } = await runImport(file(name, content), ...AIRPORT)
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(
      /^oqs: 6 objects written to aviation\/airport, version \d+, in \d+:\d\d\n$/,
    )
    expect(await storedObjects()).toEqual(AIRPORTS)
  })

  it('reads several files and standard input', async () => {
    const half = (from: number, to: number) =>
      AIRPORTS.slice(from, to)
        .map((airport) => `${JSON.stringify(airport)}\n`)
        .join('')
    file('a.ndjson', half(0, 2))
    file('b.ndjson', half(4, 6))
    file('c.json', JSON.stringify(AIRPORTS.slice(2, 4)))
    const environment = { ...settings, PATH: pathWithOqs(folder.path) }
    const line = `oqs import a.ndjson - b.ndjson ${AIRPORT.join(' ')} < c.json`
    const { code, stderr } = await runLine(line, folder.path, environment)
    expect([code, stderr]).toEqual([0, expect.stringContaining('6 objects written')])
    expect(await storedObjects()).toEqual(AIRPORTS)
  })

  it('upserts, appends or replaces', async () => {
    const [first, second] = AIRPORTS
    await service.put('aviation', 'airport', [{ ...first, name: 'old' }, { iata: 'QQQ' }])
    const path = file('two.json', JSON.stringify([first, second]))

    const appended = await runImport(path, ...AIRPORT, '--append')
    expect(appended.stderr).toContain(
      '1 object written to aviation/airport, 1 existed and was kept',
    )
    expect(await storedObjects()).toMatchObject([{ name: 'old' }, { iata: 'GVA' }, { iata: 'QQQ' }])

    await runImport(path, ...AIRPORT)
    expect(await storedObjects()).toEqual([first, second, { iata: 'QQQ' }])

    const replaced = await runImport(path, ...AIRPORT, '--replace')
    expect(replaced.stderr).toContain('2 objects written to aviation/airport, in place of 3')
    expect(await storedObjects()).toEqual([first, second])
  })

  it('keeps the last row of an object, even if its rows are in different batches', async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      iata: index % 6000 === 0 ? 'SAME' : `K${String(index).padStart(6, '0')}`,
      runwayFeet: index,
    }))
    const path = file('rows.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    expect((await runImport(path, ...AIRPORT)).code).toBe(0)
    const objects = await storedObjects()
    expect(objects).toHaveLength(11_999)
    expect(objects.at(-1)).toEqual({ iata: 'SAME', runwayFeet: 6000 })
  })

  it('checks everything and writes nothing with --dry-run', async () => {
    const good = await runImport(file('a.csv', airportsCsv()), ...AIRPORT, '--dry-run')
    expect([good.code, good.stderr]).toEqual([
      0,
      expect.stringContaining('6 objects would be written'),
    ])
    const bad = `${airportsCsv()}TOOLONG,x,y,z,high,\n`
    const rejected = await runImport(file('b.csv', bad), ...AIRPORT, '--dry-run', '--replace')
    expect(rejected.code).toBe(1)
    expect(rejected.stderr).toContain('b.csv:8: runwayFeet "high" is not')
    expect(await storedObjects()).toEqual([])
  })

  it('prints rejected rows, continues up to --max-errors, and writes them to a file', async () => {
    const rows = [
      { iata: 'AAA' },
      { iata: 'BBB', runwayFeet: 'high' },
      { iata: 'CCC', runwayFeet: 1.5 },
      { name: 'no key' },
      { iata: 'DDD' },
    ]
    const text = `${rows.map((row) => JSON.stringify(row)).join('\n')}\nnot JSON\n`
    const path = file('rows.ndjson', text)
    const rejects = join(folder.path, 'rejects.ndjson')
    const args = [path, ...AIRPORT, '--max-errors', '4', '--rejects', rejects]
    const { code, stderr } = await runImport(...args)
    expect(code).toBe(0)
    const lines = stderr.trimEnd().split('\n')
    expect(lines.slice(0, -1).toSorted()).toEqual([
      expect.stringMatching(/rows.ndjson:2: runwayFeet "high" is not/),
      expect.stringMatching(/rows.ndjson:3: runwayFeet "1.5" is not/),
      expect.stringMatching(/rows.ndjson:4: iata is the primary key and is missing/),
      expect.stringMatching(/rows.ndjson:6: is not JSON/),
    ])
    expect(lines.at(-1)).toMatch(/2 objects written to aviation\/airport, 4 rows rejected/)
    expect(await storedObjects()).toEqual([{ iata: 'AAA' }, { iata: 'DDD' }])
    const kept = readFileSync(rejects, 'utf8').trimEnd().split('\n')
    expect(kept.map((line) => JSON.parse(line).line).toSorted()).toEqual([2, 3, 4, 6])
    expect(kept.join()).toContain('"row":{"iata":"BBB","runwayFeet":"high"}')
  })

  it('creates the type from the data with --infer, also from standard input', async () => {
    file('ports.csv', 'code,name,lat,lon\nA,Alpha,1.5,2\nB,Beta,3,4\n')
    const environment = { ...settings, PATH: pathWithOqs(folder.path) }
    const run = (line: string) => runLine(line, folder.path, environment)
    expect((await run('oqs import ports.csv --ontology sea --infer')).code).toBe(0)
    expect(await storedObjects('sea', 'ports')).toEqual([
      { code: 'A', name: 'Alpha', location: { type: 'Point', coordinates: [2, 1.5] } },
      { code: 'B', name: 'Beta', location: { type: 'Point', coordinates: [4, 3] } },
    ])
    const piped = await run('oqs import - --ontology sea --type copy --infer < ports.csv')
    expect(piped.code).toBe(0)
    expect(await storedObjects('sea', 'copy')).toHaveLength(2)
    // A type that exists is used as it is.
    expect((await run('oqs import ports.csv --ontology sea --infer')).code).toBe(0)
    const dry = await run('oqs import ports.csv --ontology none --infer --dry-run')
    expect([dry.code, dry.stderr]).toEqual([
      0,
      expect.stringContaining('2 objects would be written'),
    ])
    expect((await service.send('/api/v1/ontologies/none')).status).toBe(404)
  })

  it('writes objects that an export returns byte for byte', async () => {
    const digest = async (format: string) => {
      const { stdout } = await runCommand(['export', ...AIRPORT, '--format', format], settings)
      return [createHash('sha256').update(stdout).digest('hex'), stdout] as const
    }
    await runImport(file('a.ndjson', ndjson), ...AIRPORT)
    for (const format of ['csv', 'ndjson']) {
      const [before, text] = await digest(format)
      expect((await runImport(file(`out.${format}`, text), ...AIRPORT, '--replace')).code).toBe(0)
      expect((await digest(format))[0]).toBe(before)
    }
  })

  it('keeps the committed batches after Ctrl-C, and completes when it is run again', async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) => ({ iata: `K${index}` }))
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    await using importing = startOqs(['import', '-', ...AIRPORT], settings, 'pipe')
    // Standard input stays open: two batches are sent, and the third is never full.
    importing.child.stdin?.write(text)
    while ((await storedObjects()).length < 10_000);
    importing.child.kill('SIGINT')
    expect(await importing.ended).toBe(130)
    expect(importing.stderr()).toContain('10,000 objects written. Run the command again')
    expect(await storedObjects()).toHaveLength(10_000)
    expect((await runImport(file('rows.ndjson', text), ...AIRPORT)).code).toBe(0)
    expect(await storedObjects()).toHaveLength(rows.length)
  })

  it('loads an empty type at once, names the line of a rejected row, and keeps what it sent', async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      iata: `K${String(index).padStart(6, '0')}`,
      runwayFeet: index === 10_500 ? 'high' : index,
    }))
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    const stopped = await runImport(file('rows.ndjson', text), ...AIRPORT)
    expect([stopped.code, stopped.stderr]).toEqual([
      1,
      expect.stringMatching(/rows\.ndjson:10501: runwayFeet "high" is not/),
    ])
    expect(stopped.stderr).toContain('10,000 objects written. Fix the row')
    expect(await storedObjects()).toHaveLength(10_000)
    const fixed = file('fixed.ndjson', text.replace('"high"', '1'))
    expect((await runImport(fixed, ...AIRPORT)).stderr).toContain('12,000 objects written')
    expect(await storedObjects()).toHaveLength(12_000)
  })

  it('can be repeated if the rows were numbered', async () => {
    const path = file('rows.csv', 'a,b\n1,x\n1,x\n')
    for (const mode of [[], ['--row-number', 'row'], ['--replace']]) {
      const { code } = await runImport(path, '--ontology', 'rows', '--infer', ...mode)
      expect(code).toBe(0)
      expect(await storedObjects('rows', 'rows')).toHaveLength(2)
    }
  })

  it('leaves no new type behind if every row was rejected', async () => {
    const path = file('wide.csv', 'id,size\na,wide\nb,narrow\n')
    const args = ['--ontology', 'rejected', '--infer', '--as', 'size=long', '--max-errors', '9']
    const { code, stderr } = await runImport(path, ...args)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('every row was rejected. Nothing was written.'),
    ])
    expect((await service.send('/api/admin/v1/ontologies/rejected')).status).toBe(404)
  })

  it('does not overwrite numbered rows with those of another file, unless told', async () => {
    const args = ['--ontology', 'jotted', '--type', 'note', '--infer']
    expect((await runImport(file('january.csv', 'a,b\n1,x\n1,x\n'), ...args)).code).toBe(0)
    const { code, stderr } = await runImport(file('february.csv', 'a,b\n2,y\n2,y\n'), ...args)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('no column provides row, the primary key of note'),
    ])
    expect(await storedObjects('jotted', 'note')).toMatchObject([{ b: 'x' }, { b: 'x' }])
  })

  it('preserves every digit of a number, and an empty text', async () => {
    const ids = ['12345678901234567890', '12345678901234567891']
    const text = ids.map((id) => `{"id":${id},"n":9007199254740993,"t":""}\n`).join('')
    const args = ['--ontology', 'digits', '--type', 'digit']
    expect((await runImport(file('d.ndjson', text), ...args, '--infer')).code).toBe(0)
    const objects = ids.map((id, row) => ({ row: row + 1, id, n: '9007199254740993', t: '' }))
    expect(await storedObjects('digits', 'digit')).toEqual(objects)
    const { stdout } = await runCommand(['export', ...args, '--format', 'csv'], settings)
    expect((await runImport(file('d.csv', stdout), ...args, '--replace')).code).toBe(0)
    expect(await storedObjects('digits', 'digit')).toEqual(objects)
  })

  it('infers the type under the given column options', async () => {
    const path = file('columns.csv', 'a,b,c,d\n1,2,3,4\n')
    const args = ['--ignore', 'a', '--map', 'b=other', '--geopoint', 'place=c,d']
    const type = ['--ontology', 'told', '--type', 'thing', '--infer', '--row-number', 'nr']
    expect((await runImport(path, ...type, ...args)).code).toBe(0)
    expect(await storedObjects('told', 'thing')).toEqual([
      { nr: 1, other: 2, place: { type: 'Point', coordinates: [4, 3] } },
    ])
  })
})

describe('an import that fails prints one clear line and changes nothing:', () => {
  beforeAll(async () => {
    await clear()
    await service.put('aviation', 'airport', [{ iata: 'OLD' }])
  })
  const long = () => `{"iata":"AAA","name":"${'x'.repeat(100_000_000)}"}\n`

  it.each<[string, string, string | Uint8Array | (() => string), RegExp, string[]?]>([
    ['a broken gzip', 'a.csv.gz', gzipSync(airportsCsv()).subarray(0, 60), /a\.csv\.gz: .*gzip/],
    ['too few columns', 'a.csv', 'iata,name,city\nAAA,b\n', /a\.csv:2: has 2 columns/],
    ['a line of 100 MB', 'a.ndjson', long, /a\.ndjson:1: is longer than \d+ bytes/],
    [
      'invalid UTF-8',
      'a.ndjson',
      Buffer.from('{"iata":"A\xff"}\n', 'latin1'),
      /a\.ndjson:1: is not UTF-8/,
    ],
    ['a missing file', 'b.csv', airportsCsv(), /none\.csv: the file does not exist/, ['none.csv']],
    ['an empty file', 'a.csv', '', /a\.csv: is empty/],
    ['an unknown column', 'a.csv', 'iata,x\nA,b\n', /no property for the column "x"/],
    ['a --map of no column', 'a.csv', 'iata\nA\n', /has no column "x"/, ['--map', 'x=name']],
    ['nothing to replace with', 'a.csv', 'iata,name\n', /have no rows/, ['--replace']],
    ['a damaged Parquet file', 'a.parquet', 'PAR1 and nothing else', /a\.parquet: /],
  ])('%s', async (_what, name, content, line, others = []) => {
    const path = file(name, typeof content === 'function' ? content() : content)
    const { code, stderr } = await runImport(path, ...others, ...AIRPORT)
    expect([code, stderr]).toEqual([1, expect.stringMatching(line)])
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(await storedObjects()).toEqual([{ iata: 'OLD' }])
  })

  it.each([
    ['an unknown type', ['--ontology', 'aviation', '--type', 'plane'], /no object type plane/],
    ['an unknown ontology', ['--ontology', 'none', '--type', 'plane'], /no ontology none/],
  ])('%s', async (_what, args, line) => {
    const { code, stderr } = await runImport(file('a.csv', airportsCsv()), ...args)
    expect([code, stderr]).toEqual([1, expect.stringMatching(line)])
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('no service, a wrong token, a full disk for rejects', async () => {
    const path = file('a.csv', airportsCsv())
    const nowhere = await runCommand(['import', path, ...AIRPORT], {
      ...settings,
      OQS_URL: 'http://127.0.0.1:1',
    })
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringMatching(/^oqs: .*oqs serve/)])
    const wrong = await runCommand(['import', path, ...AIRPORT], {
      ...settings,
      OQS_TOKEN: 'wrong',
    })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/Unauthorized/)])
    if (existsSync('/dev/full')) {
      const bad = file('bad.csv', 'iata,runwayFeet\nA,x\n')
      const args = [bad, ...AIRPORT, '--max-errors', '1', '--rejects', '/dev/full']
      const full = await runImport(...args)
      expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(/disk is full/)])
    }
    const over = await runImport(path, ...AIRPORT, '--rejects', path)
    expect([over.code, over.stderr]).toEqual([1, expect.stringMatching(/one of the files/)])
    expect(readFileSync(path, 'utf8')).toBe(airportsCsv())
  })

  it('no rows to infer a type from', async () => {
    for (const [name, content] of [
      ['a.csv', 'iata,name\n'],
      ['b.csv', Buffer.from('a\n\xff\n', 'latin1')],
    ] as const) {
      const { code, stderr } = await runImport(file(name, content), '--ontology', 'no', '--infer')
      expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot infer a type/)])
    }
    expect((await service.send('/api/v1/ontologies/no')).status).toBe(404)
  })

  it.each([
    [['a.csv', '--ontology', 'aviation'], /--type/],
    [['--ontology', 'aviation', '--type', 'airport'], /missing required argument/],
    [['-', '-', ...AIRPORT], /only once/],
    [['a.csv', ...AIRPORT, '--max-errors', 'x'], /whole number/],
    [['a.csv', ...AIRPORT, '--append', '--replace'], /cannot be used with/],
    [['a.csv', ...AIRPORT, '--dryrun'], /Did you mean --dry-run/],
    [['a.csv', ...AIRPORT, '--map', 'x'], /COLUMN=PROPERTY/],
    [['a.csv', ...AIRPORT, '--geopoint', 'x=y'], /LATITUDE/],
  ])('wrong usage: %j', async (args, line) => {
    const { code, stderr } = await runImport(...args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(line)])
  })
})
