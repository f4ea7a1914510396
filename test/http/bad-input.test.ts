import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import {
  type SendOptions,
  type Service,
  startService,
  type TestResponse,
} from '../support/service.ts'

const LIST = '/api/v1/ontologies/numbers/objects/number'
const SEARCH = '/api/family/v1/objects/types/number/search'
const BATCH = '/api/admin/v1/ontologies/numbers/objects/number'
const query = { type: 'empty' }

const json = (body: string): SendOptions => ({
  body,
  headers: { 'content-type': 'application/json' },
})

describe('bad input', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
    await service.put('numbers', 'number', numbers(10))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  async function refused(path: string, ask: SendOptions, expected: object): Promise<void> {
    const answer = await service.send(path, ask)
    expectErrorBody(answer)
    expect({ status: answer.status, ...answer.body }).toMatchObject(expected)
  }

  it.each(['0', '-1', '1.5', 'abc', '-1e30', '1e-30', '10^30', '', ' ', 'NaN', 'Infinity', '0x10'])(
    '[4.1.2] [7.2] pageSize=%j in the query is InvalidPageSize',
    async (pageSize) => {
      const expected = {
        status: 400,
        errorCode: 'INVALID_ARGUMENT',
        errorName: 'InvalidPageSize',
        parameters: { pageSize: /^-?\d+(?:e\d+)?$/.test(pageSize) ? Number(pageSize) : pageSize },
      }
      await refused(`${LIST}?pageSize=${encodeURIComponent(pageSize)}`, {}, expected)
    },
  )

  it.each([0, -1, 1.5, -1e30, '5', 'abc', true, [], {}])(
    '[4.1.2] [7.2] pageSize %j in the body is InvalidPageSize',
    async (pageSize) => {
      const expected = { status: 400, errorName: 'InvalidPageSize', parameters: { pageSize } }
      await refused(SEARCH, { json: { query, pageSize } }, expected)
    },
  )

  const large = [
    '2147483648',
    '99999999999',
    `1${'0'.repeat(30)}`,
    '9'.repeat(400),
    '1e30',
    '1e+21',
  ]
  it.each(large)('[4.1.2] pageSize=%s in the query is reduced to the maximum', async (pageSize) => {
    const answer = await service.send(`${LIST}?pageSize=${encodeURIComponent(pageSize)}`)
    expect([answer.status, answer.body.data.length]).toEqual([200, 10])
  })

  it.each([2_147_483_648, 1e30, Number.MAX_VALUE])(
    '[4.1.2] pageSize %s in the body is reduced to the maximum',
    async (pageSize) => {
      const answer = await service.send(SEARCH, { json: { query, pageSize } })
      expect([answer.status, answer.body.data.length]).toEqual([200, 10])
    },
  )

  it('repeated paging parameters are rejected', async () => {
    await refused(
      `${LIST}?pageSize=1&pageSize=2`,
      {},
      { status: 400, errorName: 'InvalidPageSize' },
    )
    await refused(`${LIST}?pageToken=a&pageToken=b`, {}, { errorName: 'InvalidPageToken' })
  })

  it.each(['maybe', '', '1', 'TRUE'])('[4.1.3] snapshot=%j is rejected', async (snapshot) => {
    const expected = {
      status: 400,
      errorName: 'Default:InvalidArgument',
      parameters: { parameter: 'snapshot' },
    }
    await refused(`${LIST}?snapshot=${snapshot}`, {}, expected)
  })

  const unusual = [
    'nope',
    '__proto__',
    'constructor',
    'toString',
    "a'b",
    'a"b',
    '%',
    '%%',
    'a;DROP TABLE x',
    'é',
    '\u{1f600}',
    '..',
    '.',
    'a/b',
    'x'.repeat(2000),
    '\u0000',
    '*',
  ]
  it.each(unusual)('an ontology or object type named %j is not found', async (name) => {
    const encoded =
      name === '.' || name === '..'
        ? encodeURIComponent(name).replaceAll('.', '%2E')
        : encodeURIComponent(name)
    const answers = await Promise.all([
      service.send(`/api/v1/ontologies/${encoded}/objects/number`),
      service.send(`/api/v1/ontologies/numbers/objects/${encoded}`),
      service.send(`/api/${encoded}/v1/objects/types/number/search`, { json: { query } }),
      service.send(`/api/family/v1/objects/types/${encoded}/search`, { json: { query } }),
      service.send(`/api/admin/v1/ontologies/numbers/objects/${encoded}`, {
        body: '',
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
      }),
    ])
    for (const answer of answers) {
      expectErrorBody(answer)
      expect(answer.status).toBe(404)
    }
  })

  it('the error names what was not found', async () => {
    await refused(
      '/api/v1/ontologies/nope/objects/number',
      {},
      {
        errorName: 'OntologyNotFound',
        parameters: { apiName: 'nope' },
      },
    )
    await refused(
      '/api/v1/ontologies/ri.ontology.main.ontology.nope/objects/number',
      {},
      {
        errorName: 'OntologyNotFound',
        parameters: { ontologyRid: 'ri.ontology.main.ontology.nope' },
      },
    )
    await refused(
      '/api/v1/ontologies/numbers/objects/nope',
      {},
      {
        errorName: 'ObjectTypeNotFound',
        parameters: { objectType: 'nope' },
      },
    )
    await refused('/api/v3/nothing', {}, { status: 404, errorName: 'Default:NotFound' })
  })

  it.each([
    '{',
    '',
    '{"query":}',
    'null',
    '[',
    '{"query":{"type":"empty"}',
    '\ufeff{}',
    "{'a':1}",
    '{"__proto__":{"x":1}}',
  ])('[7.2] the body %j is rejected', async (body) => {
    const answer = await service.send(SEARCH, { method: 'POST', ...json(body) })
    expectErrorBody(answer)
    expect([400, 422]).toContain(answer.status)
  })

  it('a missing body is MissingPostBody', async () => {
    await refused(SEARCH, { method: 'POST' }, { status: 400, errorName: 'MissingPostBody' })
    await refused(SEARCH, { method: 'POST', ...json('') }, { errorName: 'MissingPostBody' })
  })

  it.each([
    [{}, 'query', 'is missing'],
    [{ query: 'empty' }, 'query', 'must be object'],
    [{ query: {} }, 'query.type', 'is missing'],
    [{ query: null }, 'query', 'must be object'],
    [{ query: { type: 5 } }, 'query.type', 'must be string'],
    [
      { query, orderBy: 'x' },
      'orderBy',
      'is unknown; allowed members: query, pageSize, pageToken, snapshot',
    ],
    [
      { query: { type: 'empty', field: 'x' } },
      'query.field',
      'a query of type empty has no such member; allowed members: type',
    ],
  ])('[4.3.2] the body %j is unprocessable at %s', async (body, parameter, reason) => {
    await refused(
      SEARCH,
      { json: body },
      {
        status: 422,
        errorName: 'Conjure:UnprocessableEntity',
        parameters: { parameter, reason },
      },
    )
  })

  it.each(['nonsense', 'Empty', '__proto__', 'toString', ''])(
    '[4.3.2] the query type %j is rejected by name',
    async (type) => {
      await refused(
        SEARCH,
        { json: { query: { type } } },
        {
          status: 400,
          errorName: 'Default:InvalidArgument',
          parameters: { parameter: 'query.type', value: type },
        },
      )
    },
  )

  it('a body with another content type than JSON is rejected', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'x',
    ]) {
      const ask = { body: '{}', headers: { 'content-type': type } }
      await refused(SEARCH, ask, { status: 415, errorName: 'Conjure:UnsupportedMediaType' })
      await refused(BATCH, ask, { status: 415, errorName: 'Conjure:UnsupportedMediaType' })
    }
  })

  it('NDJSON and JSON bodies are rejected by endpoints that expect the other', async () => {
    const ndjson = { body: '{"put":{"n":1}}', headers: { 'content-type': 'application/x-ndjson' } }
    await refused(SEARCH, ndjson, { status: 415, errorName: 'Conjure:UnsupportedMediaType' })
    await refused(BATCH, json('{"put":{"n":1}}'), {
      status: 415,
      errorName: 'Conjure:UnsupportedMediaType',
    })
  })

  it('a body with a member that could change a prototype is rejected by its name', async () => {
    const nested = `${'{"a":'.repeat(50_000)}{"__proto__":1}${'}'.repeat(50_000)}`
    for (const [body, parameter] of [
      ['{"__proto__":{"query":1}}', '__proto__'],
      ['{"query":{"type":"and","value":[{"\\u005f_proto__":1}]}}', 'query.value[0].__proto__'],
      ['{"query":{"constructor":{"prototype":1}}}', 'query.constructor.prototype'],
      [nested, `…${'.a'.repeat(19)}.__proto__`],
    ] as const) {
      const { status, body: error } = await service.send(SEARCH, json(body))
      expect([status, error.errorName, error.parameters]).toEqual([
        400,
        'Default:InvalidArgument',
        { parameter, reason: 'is a reserved name, which no member of a body may have' },
      ])
    }
    const line = {
      body: '{"put":{"n":1,"__proto__":{"text":"x"}}}',
      headers: { 'content-type': 'application/x-ndjson' },
    }
    const { status, body: error } = await service.send(BATCH, line)
    expect([status, error.parameters.property]).toEqual([400, '__proto__'])
    expect(({} as { text?: string }).text).toBeUndefined()
  })

  it('large and deep bodies are rejected quickly', async () => {
    const large = json(`{"query":{"type":"${'x'.repeat(2_000_000)}"}}`)
    await refused(SEARCH, large, { status: 413, errorName: 'Default:RequestEntityTooLarge' })
    const depth = 100_000
    const deep = json(`{"query":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`)
    const answer = await service.send(SEARCH, deep)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  })

  it('errors repeat only a part of a long value', async () => {
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const bodies = [
      `{"query":{"type":"empty"},"pageSize":${nested}}`,
      `{"query":{"type":"empty"},"pageSize":"${'x'.repeat(500_000)}"}`,
      `{"query":{"type":"${'x'.repeat(500_000)}"}}`,
      `{"query":{"type":"empty"},"${'x'.repeat(500_000)}":1}`,
    ]
    for (const body of bodies) {
      const answer = await service.send(SEARCH, json(body))
      expectErrorBody(answer)
      expect(answer.text.length).toBeLessThan(5000)
    }
  })

  it('malformed URLs are rejected with the common error body', async () => {
    await refused('/api/v1/ontologies/%zz/objects/number', {}, { status: 400 })
    await refused(`${LIST}?pageToken=${'x'.repeat(4000)}`, {}, { errorName: 'InvalidPageToken' })
    await refused(`${LIST}?pageToken=${'x'.repeat(20_000)}`, {}, { status: 431 })
    await refused(
      `${LIST}?__proto__=1`,
      {},
      { status: 400, parameters: { parameter: '__proto__' } },
    )
  })

  it.each([
    ['pageSize=%ZZ', 'pageSize'],
    ['pageSize=2&properties=n%', 'properties'],
    ['pageToken=%ff', 'pageToken'],
    ['pageToken=%ED%A0%80', 'pageToken'],
    ['page%53ize=%', 'pageSize'],
    ['a%zz=1', 'a%zz'],
  ])(
    'a query string with the malformed percent-encoding %s is rejected',
    async (text, parameter) => {
      const expected = {
        status: 400,
        errorName: 'Default:InvalidArgument',
        parameters: { parameter, reason: 'is not percent-encoded UTF-8' },
      }
      for (const path of [LIST, '/api/admin/v1/me', '/docs', '/nowhere']) {
        await refused(`${path}?${text}`, {}, expected)
      }
    },
  )

  it('a request that is not HTTP is answered with 400, and its connection is closed', async () => {
    const { port } = new URL(service.url)
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('nonsense\r\n\r\n'))
      let received = ''
      socket.on('data', (chunk) => (received += chunk))
      socket.on('close', () => resolve(received))
      socket.on('error', reject)
    })
    expect(text).toMatch(/^HTTP\/1.1 400 /)
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      errorName: 'Default:InvalidArgument',
      parameters: { parameter: 'request' },
    })
  })

  it('stored objects never change', async () => {
    const { body } = await service.send(LIST)
    expect(body.totalCount).toBe('10')
  })
})

function expectErrorBody({ status, body, headers }: TestResponse): void {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(Object.keys(body).sort()).toEqual([
    'errorCode',
    'errorDescription',
    'errorInstanceId',
    'errorName',
    'parameters',
  ])
  expect(body.errorInstanceId).toMatch(/^[0-9a-f-]{36}$/)
}
