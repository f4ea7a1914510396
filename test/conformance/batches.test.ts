import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'
import { valuesOf, type Walk, walkPages } from '../support/walk.ts'

const walk: Walk = { revision: '1.0', ontology: 'numbers', objectType: 'number' }

describe('a batch', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const stored = async () => valuesOf(await walkPages(service, walk), 'n')
  const raw = (
    body: string | Buffer,
    objectType = 'number',
    ontology = 'numbers',
  ): Promise<TestResponse> =>
    service.send(`/api/admin/v1/ontologies/${ontology}/objects/${objectType}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: body as string,
    })

  it('puts and deletes objects, counts them, and creates the next version', async () => {
    const put = await service.put('numbers', 'number', numbers(5))
    expect(put.body).toEqual({ version: 1, put: 5, deleted: 0 })
    const mixed = await service.write('numbers', 'number', [
      { delete: 0 },
      { delete: '1' },
      { delete: 99 },
      { put: { n: 2, text: 'changed' } },
    ])
    expect(mixed.body).toEqual({ version: 2, put: 1, deleted: 2 })
    expect(await stored()).toEqual([2, 3, 4])
  })

  it('creates no version if it changes nothing', async () => {
    const { body } = await service.put('numbers', 'number', [{ n: 2 }])
    for (const lines of [[], [{ delete: 12_345 }]]) {
      const answer = await service.write('numbers', 'number', lines)
      expect(answer.body).toEqual({ version: body.version, put: 0, deleted: 0 })
    }
  })

  it('applies the last of several changes to one object', async () => {
    await service.write('numbers', 'number', [
      { put: { n: 50 } },
      { delete: 50 },
      { delete: 51 },
      { put: { n: 51, text: 'a' } },
      { put: { n: 51, text: 'b' } },
    ])
    const pages = await walkPages(service, walk)
    const index = valuesOf(pages, 'n').indexOf(51)
    expect(valuesOf(pages, 'n')).not.toContain(50)
    expect(valuesOf(pages, 'text')[index]).toBe('b')
  })

  it('reports the line and the property of a mistake, and writes nothing', async () => {
    const before = await service.send('/api/v1/ontologies/numbers/objects/number')
    const refusals: readonly [line: string, reason: RegExp, property?: string][] = [
      ['nonsense', /not JSON/],
      ['[]', /neither/],
      ['{"put":{"n":7},"delete":7}', /neither/],
      ['{"update":{"n":7}}', /neither/],
      ['null', /neither/],
      ['{"put":5}', /not a JSON object/],
      ['{"put":{}}', /primary key and is missing/, 'n'],
      ['{"put":{"n":null}}', /primary key and is missing/, 'n'],
      ['{"put":{"n":"x"}}', /not a integer|not an integer/, 'n'],
      ['{"put":{"n":2147483648}}', /outside integer/, 'n'],
      ['{"put":{"n":7,"text":5}}', /not a string/, 'text'],
      ['{"put":{"n":7,"nope":5}}', /not a property/, 'nope'],
      ['{"put":{"n":7,"__proto__":5}}', /not a property/, '__proto__'],
      ['{"delete":"x"}', /not a integer|not an integer/, 'n'],
      ['{"delete":null}', /not a integer|not an integer/, 'n'],
    ]
    for (const [line, reason, property] of refusals) {
      const answer = await raw(`{"put":{"n":1000}}\n\n${line}\n{"put":{"n":1001}}`)
      expect([line, answer.status, answer.body.errorName]).toEqual([line, 400, 'InvalidBatchLine'])
      expect(answer.body.parameters.line).toBe(3)
      expect(answer.body.parameters.reason).toMatch(reason)
      expect(answer.body.parameters.property).toBe(property)
    }
    const after = await service.send('/api/v1/ontologies/numbers/objects/number')
    expect(after.body).toEqual(before.body)
  })

  it('reports the path inside arrays and structs', async () => {
    const answer = await service.put('aviation', 'airport', [
      { id: 'A', names: [{ text: 'x' }, { text: 5 }] },
    ])
    expect(answer.body.parameters).toMatchObject({
      line: 1,
      property: 'names[1].text',
      reason: 'is not a string',
    })
  })

  it('accepts any chunks, line endings and blank lines', async () => {
    const answer = await raw('\n\r\n{"put":{"n":2000}}\r\n   \n{"put":{"n":2001}}\n\n')
    expect(answer.body).toMatchObject({ put: 2 })
    const last = await raw('{"put":{"n":2002}}')
    expect(last.body).toMatchObject({ put: 1 })
  })

  it('rejects invalid UTF-8 and lines that are too long', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"put":{"n":1,"text":"'),
      Buffer.of(0xff),
      Buffer.from('"}}'),
    ])
    const utf8 = await raw(bytes)
    expect(utf8.body.parameters).toMatchObject({ line: 1, reason: 'is not UTF-8' })
    const long = await raw(`\n{"put":{"n":1,"text":"${'x'.repeat(9 * 1024 * 1024)}"}}`)
    expect(long.body.parameters.line).toBe(2)
    const large = await raw(`{"put":{"n":1,"text":"${'x'.repeat(5 * 1024 * 1024)}"}}`)
    expect(large.body.parameters.reason).toMatch(/larger than/)
  })

  it('rejects millions of blank lines without reading them all', async () => {
    const { status, body: error } = await raw(`{"put":{"n":1}}${'\n'.repeat(60_000_000)}`)
    expect([status, error.errorName]).toEqual([400, 'InvalidBatchLine'])
    expect(error.parameters.line).toBe(100_003)
    expect(error.parameters.reason).toMatch(/^there are more than 100,000 blank lines/)
  })

  it('is atomic among concurrent batches, and none is lost', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, batch) =>
        service.put('numbers', 'number', numbers(25, 10_000 + batch * 25)),
      ),
    )
    const versions = answers.map((answer) => answer.body.version)
    expect(new Set(versions).size).toBe(40)
    const seen = (await stored()).filter((n) => Number(n) >= 10_000)
    expect(seen).toEqual(numbers(1000, 10_000).map(({ n }) => n))
  })
})

describe('the parameters of a batch', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const send = (parameters: string, lines: readonly unknown[]): Promise<TestResponse> =>
    service.send(`/api/admin/v1/ontologies/numbers/objects/number?${parameters}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
  const put = (n: number, text: string) => ({ put: { n, text } })

  it('append: keeps existing objects, and the first of several with one key', async () => {
    await send('', [put(1, 'old')])
    const { body } = await send('mode=append', [put(1, 'new'), put(2, 'a'), put(2, 'b')])
    expect(body).toEqual({ version: 2, put: 1, deleted: 0, kept: 1 })
    const again = await send('mode=append', [put(1, 'new'), put(2, 'b')])
    expect(again.body).toEqual({ version: 2, put: 0, deleted: 0, kept: 2 })
    const pages = await walkPages(service, walk)
    expect(valuesOf(pages, 'text')).toEqual(['old', 'a'])
  })

  it('dryRun: checks every line and writes nothing', async () => {
    const before = await walkPages(service, walk)
    const { body } = await send('dryRun=true', [put(77, 'x'), { delete: 1 }])
    expect(body).toEqual({ version: 2, put: 0, deleted: 0 })
    const refused = await send('dryRun=true', [put(77, 'x'), { put: {} }])
    expect(refused.body.errorName).toBe('InvalidBatchLine')
    expect(await walkPages(service, walk)).toEqual(before)
  })

  it('report up to 100 invalid lines', async () => {
    const { body } = await send('', [
      put(5, 'fits'),
      { put: { n: 'x' } },
      put(6, 'fits'),
      { put: { n: 1, odd: 2 } },
      7,
    ])
    const { refused, ...first } = body.parameters
    expect(first).toEqual({ line: 2, property: 'n', reason: expect.any(String) })
    expect(refused.map((one: { line: number }) => one.line)).toEqual([2, 4, 5])
    const many = await send(
      '',
      Array.from({ length: 500 }, () => ({})),
    )
    expect(many.body.parameters.refused).toHaveLength(100)
  })

  it.each(['mode=replace', 'dryRun=maybe', 'replacement=', 'mode=upsert&odd=1'])(
    'refuses %s',
    async (parameters) => {
      const { body } = await send(parameters, [])
      expect(body.errorName).toBe('Default:InvalidArgument')
    },
  )
})
