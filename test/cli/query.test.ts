import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Environment } from '../../src/server/config.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { startOqs } from '../support/oqs-process.ts'
import { runCommand } from '../support/run-in-process.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { AIRPORTS, loadAviation, SMALL_AVIATION } from './aviation.ts'

let service: Service
let settings: Environment

beforeAll(async () => {
  service = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: '500' } })
  await loadAviation(service)
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(3000))
  settings = {
    OQS_URL: service.url,
    OQS_ADMIN_TOKEN: ADMIN_TOKEN,
  }
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
})

const airport = ['--ontology', 'aviation', '--type', 'airport']
const number = ['--ontology', 'numbers', '--type', 'number']
const lines = (text: string) => text.split('\n').filter((line) => line !== '')
const records = (text: string) => lines(text).map((line) => JSON.parse(line))

describe('oqs list', () => {
  it('prints one page of records as the service sends them, and how to continue', async () => {
    const { code, stdout, stderr } = await runCommand(
      ['list', ...airport, '--page-size', '4'],
      settings,
    )
    const first = await service.send('/api/v1/ontologies/aviation/objects/airport?pageSize=4')
    expect(code).toBe(0)
    expect(records(stdout)).toEqual(first.body.data)
    const [line = '', ...more] = lines(stderr)
    expect(more).toEqual([])
    expect(line).toMatch(
      /^oqs: 4 of 6 objects shown; more follow\. .*--all .* --page-token v1\.\S+$/,
    )

    const token = line.split('--page-token ')[1] ?? ''
    const rest = await runCommand(['list', ...airport, '--page-token', token], settings)
    expect(records(rest.stdout).map(({ properties }) => properties.iata)).toEqual(['NRT', 'ZRH'])
    expect(rest.stderr).toBe('')
  })

  it('filters, orders, selects and walks over all pages', async () => {
    const { stdout, stderr } = await runCommand(
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

  it('stops after --max-pages and says that more objects follow', async () => {
    const args = ['list', ...number, '--page-size', '100', '--max-pages', '2', '--all']
    const { code, stdout, stderr } = await runCommand(args, settings)
    expect([code, lines(stdout).length]).toEqual([0, 200])
    expect(stderr).toMatch(/^oqs: 200 of 3,000 objects shown; more follow\. To continue/)
  })

  it('[7.1] fails at the retrieval limit and points to export', async () => {
    const { code, stdout, stderr } = await runCommand(['list', ...number, '--all'], settings)
    expect([code, lines(stdout).length]).toEqual([1, 500])
    expect(stderr).toMatch(/^oqs: ObjectsExceededLimit: .*`oqs export` has no such limit\.\n$/)
  })

  it('prints a table that fits, also with wide characters', async () => {
    const args = ['list', ...airport, '--table', '--select', 'name,city,countryCode']
    const { stdout, stderr } = await runCommand(args, { ...settings, COLUMNS: '44' })
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
    expect(stderr).toContain('columns that do not fit: city, countryCode')
  })

  it('ends a walk with status 130 on Ctrl-C', async () => {
    const args = ['search', '--family', 'family', '--type', 'number', '--all', '--page-size', '1']
    await using oqs = startOqs(args, settings)
    await once(oqs.child.stdout ?? oqs.child, 'data')
    oqs.child.kill('SIGINT')
    expect(await oqs.ended).toBe(130)
    expect(oqs.stderr()).toBe('oqs: interrupted\n')
    expect(oqs.stdout()).toMatch(/\n$/)
  })
})

describe('oqs search', () => {
  it('searches an ontology with a query of revision 1.0', async () => {
    const query = JSON.stringify({ type: 'eq', field: 'properties.countryCode', value: 'CH' })
    const { stdout } = await runCommand(
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

  it('searches a family with a query of revision 2.0, beyond the retrieval limit', async () => {
    const args = ['search', '--family', 'family', '--type', 'number', '--all']
    const { code, stdout } = await runCommand(args, settings)
    const objects = records(stdout)
    expect([code, objects.length]).toEqual([0, 3000])
    expect(objects[0]).toEqual({ primaryKey: '0', objectType: 'number', properties: { n: 0 } })
  })
})

describe('oqs get', () => {
  it('prints one object, as JSON or as a table', async () => {
    const json = await runCommand(['get', ...airport, 'ZRH'], settings)
    expect(records(json.stdout)).toMatchObject([{ properties: AIRPORTS.at(-1) }])
    const table = await runCommand(
      ['get', ...airport, 'ZRH', '--table', '--select', 'name'],
      settings,
    )
    expect(table.stdout).toBe('iata  ZRH\nname  Zurich Airport\n')
    const none = await runCommand(['get', ...airport, 'X/Y'], settings)
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toMatch(/^oqs: ObjectNotFound: .*\n$/)
  })
})

describe('oqs ontology', () => {
  it('shows a definition in the form that can be applied again', async () => {
    const all = await runCommand(['ontology', 'show'], settings)
    expect(records(all.stdout).map(({ apiName }) => apiName)).toEqual(['aviation', 'numbers'])
    const one = await runCommand(['ontology', 'show', 'aviation'], settings)
    expect(JSON.parse(one.stdout)).toMatchObject(SMALL_AVIATION)
  })
})

describe('a failure', () => {
  it('is described in one line, with what to do next', async () => {
    const secureUrl = service.url.replace('http:', 'https:')
    const cases: [args: string[], more: Environment, expected: RegExp][] = [
      [['list', ...airport], { OQS_URL: 'http://127.0.0.1:9' }, /cannot reach .*oqs serve.*--url/],
      [['list', ...airport], { OQS_ADMIN_TOKEN: '' }, /MissingCredentials: .*OQS_TOKEN/],
      [['list', '--ontology', 'x', '--type', 'y'], {}, /OntologyNotFound: .*oqs ontology show/],
      [['ontology', 'apply', 'none.json'], {}, /cannot read none\.json: the file does not exist/],
      [['ontology', 'apply', 'README.md'], {}, /README\.md is not JSON/],
      [['ontology', 'apply', 'package.json'], {}, /package\.json is not an ontology definition/],
      [
        ['put', ...airport, JSON.stringify({ iata: '\ud800' })],
        {},
        /a URL cannot contain "\\ud800": it has an unpaired surrogate/,
      ],
      [['export', ...airport, '--output', '/no/such'], {}, /cannot write \/no\/such\.part/],
      [['get', ...airport, 'ZRH', '--url', `${service.url}/docs`], {}, /Check --url\.$/],
      [
        ['list', ...airport],
        { OQS_URL: secureUrl },
        /cannot reach https:.*Write http:\/\/ in OQS_URL/,
      ],
      [['list', ...airport], { OQS_URL: 'localhost' }, /OQS_URL is "localhost", but must be/],
    ]
    for (const [args, more, expected] of cases) {
      const { code, stdout, stderr } = await runCommand(args, { ...settings, ...more })
      expect([args, code, stdout]).toEqual([args, 1, ''])
      expect(lines(stderr)).toHaveLength(1)
      expect(stderr.trim()).toMatch(expected)
    }
  })
})

describe('oqs count and oqs aggregate', () => {
  it('print numbers about all matches', async () => {
    expect(await runCommand(['count', ...number], settings)).toMatchObject({
      code: 0,
      stdout: '3000\n',
    })
    const few = await runCommand(['count', ...airport, '--where', 'countryCode.eq=CH'], settings)
    const swiss = AIRPORTS.filter(({ countryCode }) => countryCode === 'CH')
    expect(few.stdout).toBe(`${swiss.length}\n`)
    const metrics = ['--metric', 'count', '--metric', 'max:runwayFeet', '--by', 'countryCode']
    const { stdout } = await runCommand(['aggregate', ...airport, ...metrics], settings)
    expect(records(stdout)).toContainEqual({
      countryCode: 'CH',
      count: swiss.length,
      max_runwayFeet: Math.max(...swiss.map(({ runwayFeet }) => Number(runwayFeet))),
    })
    const wrong = await runCommand(['aggregate', ...airport, '--metric', 'mean:x'], settings)
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('such as avg:')])
  })
})

describe('oqs put and oqs patch', () => {
  it('write one object, whose key is among its properties', async () => {
    const put = await runCommand(['put', ...airport, '{"iata": "XXX", "name": "A"}'], settings)
    expect([put.code, put.stdout]).toEqual([
      0,
      expect.stringMatching(/^put XXX \(version \d+\)\n$/),
    ])
    const patch = await runCommand(['patch', ...airport, 'XXX', '{"name": "B"}'], settings)
    expect(patch.code).toBe(0)
    const { body } = await service.send('/api/v1/ontologies/aviation/objects/airport/XXX')
    expect(body.properties).toMatchObject({ iata: 'XXX', name: 'B' })
    for (const [text, message] of [
      ['{"name": "C"}', 'The properties have no iata, which is the primary key of airport.'],
      ['[]', 'The properties must be a JSON object'],
      ['{', 'It is not JSON'],
    ] as const) {
      expect((await runCommand(['put', ...airport, text], settings)).stderr).toContain(message)
    }
    expect((await runCommand(['delete', ...airport, 'XXX', '--yes'], settings)).code).toBe(0)
  })
})

describe('oqs whoami', () => {
  it('shows the caller', async () => {
    const { stdout } = await runCommand(['whoami', '--table'], settings)
    expect(stdout).toMatch(/^name +admin\nscopes +api:/)
    expect(records((await runCommand(['whoami', '--json'], settings)).stdout)[0].name).toBe('admin')
  })
})

describe('oqs open', () => {
  it('prints a link that signs a browser in as the caller, once', async () => {
    const { stdout } = await runCommand(['open'], settings)
    const [, url, code] = /^(.*)\/#code=([\w-]{43})\n$/.exec(stdout) ?? []
    expect(url).toBe(settings['OQS_URL'])
    const redeem = async () =>
      fetch(`${url}/api/admin/v1/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'oqs-session': 'test' },
        body: JSON.stringify({ code }),
      })
    const [first, second] = [await redeem(), await redeem()]
    expect([first.status, second.status]).toEqual([200, 401])
    const cookie = String(first.headers.get('set-cookie')?.split(';')[0])
    const me = await fetch(`${url}/api/admin/v1/me`, { headers: { cookie, 'oqs-session': 'test' } })
    expect(await me.json()).toMatchObject({ name: 'admin' })
  })
})
