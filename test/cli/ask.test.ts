import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { runOqs, startOqs } from '../support/oqs-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { AIRPORTS, loadAviation, SMALL_AVIATION } from './aviation.ts'

let service: Service
let compiled: TempFolder
let settings: Environment

beforeAll(async () => {
  compiled = tempFolder()
  service = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: '500' } })
  await loadAviation(service)
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(3000))
  settings = {
    OQS_URL: service.url,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
    // Many short processes run the same files.
    NODE_COMPILE_CACHE: compiled.path,
  }
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  compiled[Symbol.dispose]()
})

const airport = ['--ontology', 'aviation', '--type', 'airport']
const number = ['--ontology', 'numbers', '--type', 'number']
const lines = (text: string) => text.split('\n').filter((line) => line !== '')
const records = (text: string) => lines(text).map((line) => JSON.parse(line))

describe('oqs list', () => {
  it('writes one page of records as the service sends them, and says how to go on', async () => {
    const { code, stdout, stderr } = await runOqs(
      ['list', ...airport, '--page-size', '4'],
      settings,
    )
    const first = await service.ask('/api/v1/ontologies/aviation/objects/airport?pageSize=4')
    expect(code).toBe(0)
    expect(records(stdout)).toEqual(first.body.data)
    const [line = '', ...more] = lines(stderr)
    expect(more).toEqual([])
    expect(line).toMatch(/^oqs: 4 of 6 objects shown, more follow\. --all .* --page-token v1\.\S+$/)

    const token = line.split('--page-token ')[1] ?? ''
    const rest = await runOqs(['list', ...airport, '--page-token', token], settings)
    expect(records(rest.stdout).map(({ properties }) => properties.iata)).toEqual(['NRT', 'ZRH'])
    expect(rest.stderr).toBe('')
  })

  it('filters, orders, selects and walks over all pages', async () => {
    const { stdout, stderr } = await runOqs(
      [
        ...['list', ...airport, '--where', 'countryCode.eq=CH', '--where', 'runwayFeet.gt=900'],
        ...['--order', 'runwayFeet:desc', '--select', 'runwayFeet', '--page-size', '1'],
        ...['--all', '--snapshot'],
      ],
      settings,
    )
    expect(records(stdout).map(({ properties }) => properties)).toEqual([
      { iata: 'ZRH', runwayFeet: 1416 },
      { iata: 'GVA', runwayFeet: 1411 },
      { iata: 'LUG', runwayFeet: 915 },
    ])
    expect(stderr).toBe('')
  })

  it('stops after as many pages as were asked for, loudly', async () => {
    const words = ['list', ...number, '--page-size', '100', '--max-pages', '2', '--all']
    const { code, stdout, stderr } = await runOqs(words, settings)
    expect([code, lines(stdout).length]).toEqual([0, 200])
    expect(stderr).toMatch(/^oqs: 200 of 3,000 objects shown, more follow\. to go on/)
  })

  it('[7.1] fails at the limit of listings and points to export', async () => {
    const { code, stdout, stderr } = await runOqs(['list', ...number, '--all'], settings)
    expect([code, lines(stdout).length]).toEqual([1, 500])
    expect(stderr).toMatch(/^oqs: ObjectsExceededLimit: .*`oqs export` has no such limit\n$/)
  })

  it('draws a table that fits, wide characters included', async () => {
    const words = ['list', ...airport, '--table', '--select', 'name,city,countryCode']
    const { stdout, stderr } = await runOqs(words, { ...settings, COLUMNS: '44' })
    expect(lines(stdout)).toEqual(
      [
        'iata  name                                ',
        'BSL   EuroAirport Basel',
        'GVA   Geneva Airport',
        'LAX   Los Angeles International Airport',
        'LUG   Lugano Airport',
        'NRT   成田国際空港',
        'ZRH   Zurich Airport',
      ].map((line) => line.trimEnd()),
    )
    expect(stderr).toContain('no room for city, countryCode')
  })

  it('ends a walk with status 130 on Ctrl-C', async () => {
    const words = ['search', '--family', 'family', '--type', 'number', '--all', '--page-size', '1']
    await using oqs = startOqs(words, settings)
    await once(oqs.child.stdout ?? oqs.child, 'data')
    oqs.child.kill('SIGINT')
    expect(await oqs.ended).toBe(130)
    expect(oqs.stderr()).toBe('oqs: interrupted\n')
    expect(oqs.stdout()).toMatch(/\n$/)
  })
})

describe('oqs search', () => {
  it('asks an ontology in the language of revision 1.0', async () => {
    const query = JSON.stringify({ type: 'eq', field: 'properties.countryCode', value: 'CH' })
    const { stdout } = await runOqs(
      [
        'search',
        ...airport,
        '--query',
        query,
        '--order',
        'name:desc:nullsFirst',
        '--select',
        'name',
      ],
      settings,
    )
    expect(records(stdout).map(({ properties }) => properties.iata)).toEqual(['ZRH', 'LUG', 'GVA'])
  })

  it('asks a family in the language of revision 2.0, past the limit of listings', async () => {
    const words = ['search', '--family', 'family', '--type', 'number', '--all']
    const { code, stdout } = await runOqs(words, settings)
    const found = records(stdout)
    expect([code, found.length]).toEqual([0, 3000])
    expect(found[0]).toEqual({ primaryKey: '0', objectType: 'number', properties: { n: 0 } })
  })
})

describe('oqs get', () => {
  it('shows one object, for programs and for people', async () => {
    const json = await runOqs(['get', ...airport, 'ZRH'], settings)
    expect(records(json.stdout)).toMatchObject([{ properties: AIRPORTS.at(-1) }])
    const table = await runOqs(['get', ...airport, 'ZRH', '--table', '--select', 'name'], settings)
    expect(table.stdout).toBe('iata  ZRH\nname  Zurich Airport\n')
    const none = await runOqs(['get', ...airport, 'X/Y'], settings)
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toMatch(/^oqs: ObjectNotFound: .*\n$/)
  })
})

describe('oqs ontology', () => {
  it('shows what it has applied, so that it can be changed and applied again', async () => {
    const all = await runOqs(['ontology', 'show'], settings)
    expect(records(all.stdout).map(({ apiName }) => apiName)).toEqual(['aviation', 'numbers'])
    const shown = await runOqs(['ontology', 'show', 'aviation'], settings)
    expect(JSON.parse(shown.stdout)).toMatchObject(SMALL_AVIATION)
  })
})

describe('what goes wrong', () => {
  it('is told in one line, with what to check', async () => {
    const cases: [words: string[], more: Environment, expected: RegExp][] = [
      [
        ['list', ...airport],
        { OQS_URL: 'http://127.0.0.1:9' },
        /no answer from .*oqs serve.*--url/,
      ],
      [['list', ...airport], { OQS_ADMIN_TOKEN: '' }, /MissingCredentials: .*OQS_TOKEN/],
      [['list', '--ontology', 'x', '--type', 'y'], {}, /OntologyNotFound: .*oqs ontology show/],
      [['ontology', 'apply', 'no-such.json'], {}, /no-such\.json cannot be read: there is no such/],
      [['ontology', 'apply', 'README.md'], {}, /README\.md is not JSON/],
      [['ontology', 'apply', 'package.json'], {}, /package\.json is no ontology definition/],
      [['export', ...airport, '--output', '/no/such'], {}, /\/no\/such\.part cannot be written/],
      [['get', ...airport, 'ZRH', '--url', `${service.url}/docs`], {}, /is --url right\?$/],
      [['list', ...airport], { OQS_URL: 'localhost' }, /OQS_URL is "localhost", but must be/],
    ]
    for (const [words, more, expected] of cases) {
      const { code, stdout, stderr } = await runOqs(words, { ...settings, ...more })
      expect([words, code, stdout]).toEqual([words, 1, ''])
      expect(lines(stderr)).toHaveLength(1)
      expect(stderr.trim()).toMatch(expected)
    }
  })
})
