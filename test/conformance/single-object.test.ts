import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS } from '../support/ontologies.ts'
import { type SendOptions, type Service, startService } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

const ADMIN = '/api/admin/v1/ontologies'

describe('a single object', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const write = (method: string, key: string | number, options: SendOptions = {}) =>
    service.send(`${ADMIN}/numbers/objects/number/${encodeURIComponent(key)}`, {
      method,
      ...options,
    })
  const put = (n: number, json: object, headers: Record<string, string> = {}) =>
    write('PUT', n, { json: { n, ...json }, headers })
  const patch = (n: number, json: object, headers: Record<string, string> = {}) =>
    write('PATCH', n, { json, headers })
  const get = (n: number) => service.send(`/api/v1/ontologies/numbers/objects/number/${n}`)
  const tagOf = async (n: number) => (await get(n)).headers.get('etag') ?? ''

  it('is created with 201 and replaced with 200, with the entity tag of GET', async () => {
    const created = await put(1, { text: 'one' })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ version: expect.any(Number) })
    expect(created.headers.get('etag')).toBe(await tagOf(1))
    const replaced = await put(1, { text: 'uno' })
    expect(replaced.status).toBe(200)
    expect(replaced.body.version).toBe(created.body.version + 1)
    expect(replaced.headers.get('etag')).toBe(await tagOf(1))
    expect((await get(1)).body.properties).toEqual({ n: 1, text: 'uno' })
  })

  it('takes its key from the path unless the body has one, which must be the same', async () => {
    expect((await write('PUT', 20, { json: { text: 'short' } })).status).toBe(201)
    expect((await get(20)).body.properties).toEqual({ n: 20, text: 'short' })
    await service.send(`${ADMIN}/aviation/objects/airport/L%2FX`, { method: 'PUT', json: {} })
    const airport = await service.send('/api/v1/ontologies/aviation/objects/airport/L%2FX')
    expect(airport.body.properties).toEqual({ id: 'L/X' })
    expect((await write('PUT', 20, { json: { n: 21, text: 'other' } })).status).toBe(422)
    expect((await get(20)).body.properties.text).toBe('short')
  })

  it('is patched as RFC 7396 says, in both media types', async () => {
    await put(2, { text: 'two' })
    expect((await patch(2, { text: 'zwei' })).status).toBe(200)
    expect((await get(2)).body.properties).toEqual({ n: 2, text: 'zwei' })
    const cleared = await write('PATCH', 2, {
      body: '{"text":null}',
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    expect(cleared.status).toBe(200)
    expect(cleared.headers.get('etag')).toBe(await tagOf(2))
    expect((await get(2)).body.properties).toEqual({ n: 2 })
  })

  it('is deleted, and is then not found', async () => {
    const { body } = await put(3, {})
    const deleted = await write('DELETE', 3)
    expect(deleted.body).toEqual({ version: body.version + 1 })
    expect((await get(3)).status).toBe(404)
    for (const method of ['DELETE', 'PATCH']) {
      const again = await write(method, 3, method === 'PATCH' ? { json: {} } : {})
      expect(again.status).toBe(404)
      expect(again.body).toMatchObject({
        errorName: 'ObjectNotFound',
        parameters: { objectType: 'number', primaryKey: { n: '3' } },
      })
    }
  })

  it('is written only if If-Match holds, with the tag of every API version', async () => {
    await put(4, { text: 'a' })
    const paths = [
      '/api/v1/ontologies/numbers/objects/number/4',
      '/api/v2/ontologies/numbers/objects/number/4',
      '/api/v2/ontologies/numbers/objects/number/4?excludeRid=true',
    ]
    for (const path of paths) {
      const etag = (await service.send(path)).headers.get('etag') ?? ''
      expect((await patch(4, { text: path }, { 'if-match': `"other", ${etag}` })).status).toBe(200)
      const stale = await patch(4, { text: 'late' }, { 'if-match': etag })
      expect(stale.status).toBe(412)
      expect(stale.body).toMatchObject({
        errorName: 'PreconditionFailed',
        parameters: { parameter: 'If-Match', objectType: 'number', primaryKey: '4' },
      })
    }
    expect((await get(4)).body.properties.text).toBe(paths.at(-1))
    const weak = `W/${await tagOf(4)}`
    expect((await put(4, {}, { 'if-match': weak })).status).toBe(412)
    expect((await write('DELETE', 4, { headers: { 'if-match': weak } })).status).toBe(412)
    expect((await put(4, {}, { 'if-match': '*' })).status).toBe(200)
    expect((await write('DELETE', 4, { headers: { 'if-match': await tagOf(4) } })).status).toBe(200)
    for (const tag of ['*', '"x"']) {
      expect((await write('DELETE', 4, { headers: { 'if-match': tag } })).status).toBe(412)
      expect((await put(4, {}, { 'if-match': tag })).status).toBe(412)
    }
  })

  it('accepts the tag of revision 2.0', async () => {
    const airport = { id: 'LAX', name: 'Los Angeles' }
    await service.put('aviation', 'airport', [airport])
    const read = await service.send('/api/gotham/v1/objects/LAX?objectType=airport')
    expect(read.status).toBe(200)
    const path = `${ADMIN}/aviation/objects/airport/LAX`
    const headers = { 'if-match': read.headers.get('etag') ?? '' }
    const options = { method: 'PATCH', json: { name: 'L.A.' }, headers }
    expect((await service.send(path, options)).status).toBe(200)
    expect((await service.send(path, options)).status).toBe(412)
  })

  it('is written only if If-None-Match holds', async () => {
    const star = { 'if-none-match': '*' }
    expect((await put(5, { text: 'first' }, star)).status).toBe(201)
    const second = await put(5, { text: 'second' }, star)
    expect(second.status).toBe(412)
    expect(second.body.parameters.parameter).toBe('If-None-Match')
    const tag = await tagOf(5)
    expect((await put(5, {}, { 'if-none-match': tag })).status).toBe(412)
    expect((await put(5, {}, { 'if-none-match': `W/${tag}` })).status).toBe(412)
    expect((await put(5, {}, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('loses no update: of concurrent patches with one tag, exactly one succeeds', async () => {
    await put(6, { text: 'start' })
    const etag = await tagOf(6)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => patch(6, { text: `${at}` }, { 'if-match': etag })),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await get(6)).body.properties.text).toBe(`${winner}`)
  })

  it('counts to 64 with 64 concurrent patches that retry on 412', async () => {
    await put(7, { text: '0' })
    const increment = async () => {
      const { headers, body } = await get(7)
      const text = String(Number(body.properties.text) + 1)
      const { status } = await patch(7, { text }, { 'if-match': headers.get('etag') ?? '' })
      if (status !== 200) expect(status).toBe(412)
      return status === 200
    }
    const first = await Promise.all(Array.from({ length: 64 }, increment))
    // The others retry, eight at a time: with all of them, nearly every attempt would be in vain.
    const waiting = first.filter((isDone) => !isDone)
    const retry = async () => {
      while (waiting.pop() !== undefined) while (!(await increment()));
    }
    await Promise.all(Array.from({ length: 8 }, retry))
    expect((await get(7)).body.properties.text).toBe('64')
  })

  it('loses no update if several nodes write to one store', async () => {
    await using store = await createTestStore()
    await using one = await startService({ store: store.name })
    await using two = await startService({ store: store.name })
    await one.apply(NUMBERS)
    const path = `${ADMIN}/numbers/objects/number/1`
    const created = await Promise.all(
      [one, two, one, two].map((node) =>
        node.send(path, { method: 'PUT', json: { n: 1 }, headers: { 'if-none-match': '*' } }),
      ),
    )
    expect(created.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412])
    for (let round = 0; round < 5; round += 1) {
      const read = await two.send('/api/v1/ontologies/numbers/objects/number/1')
      const headers = { 'if-match': read.headers.get('etag') ?? '' }
      const patched = await Promise.all(
        [one, two, one, two].map((node, at) =>
          node.send(path, { method: 'PATCH', json: { text: `${round}.${at}` }, headers }),
        ),
      )
      expect(patched.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
    }
  })

  it('merges concurrent patches of different properties without a condition', async () => {
    await service.put('aviation', 'airport', [{ id: 'ZRH', name: 'Zurich' }])
    const path = `${ADMIN}/aviation/objects/airport/ZRH`
    const parts = [{ name: 'Kloten' }, { elevation: 1416 }, { opened: '1948-11-17' }]
    const answers = await Promise.all(
      parts.map((json) => service.send(path, { method: 'PATCH', json })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { body } = await service.send('/api/v1/ontologies/aviation/objects/airport/ZRH')
    expect(body.properties).toEqual(Object.assign({ id: 'ZRH' }, ...parts))
  })

  it('refuses invalid requests, names the part, and writes nothing', async () => {
    await put(8, { text: 'kept' })
    const refusals: readonly [
      method: string,
      key: string,
      options: SendOptions,
      status: number,
      errorName: string,
      parameter?: string,
    ][] = [
      ['PUT', '8', { json: { n: 9 } }, 422, 'Conjure:UnprocessableEntity', 'n'],
      ['PUT', '8', { json: { n: null } }, 422, 'Conjure:UnprocessableEntity', 'n'],
      ['PUT', '8', { json: { n: 8, text: 5 } }, 422, 'Conjure:UnprocessableEntity', 'text'],
      ['PUT', '8', { json: { n: 8, nope: 5 } }, 422, 'Conjure:UnprocessableEntity', 'nope'],
      ['PUT', '8', { json: [] }, 422, 'Conjure:UnprocessableEntity', ''],
      ['PUT', '8', {}, 400, 'MissingPostBody', 'body'],
      ['PUT', '8', { body: '{', headers: JSON_TYPE }, 400, 'Default:InvalidArgument', 'request'],
      ['PUT', '8', { body: NOT_UTF8, headers: JSON_TYPE }, 400, INVALID, 'body'],
      ['PATCH', '8', { body: NOT_UTF8, headers: JSON_TYPE }, 400, INVALID, 'body'],
      [
        'PUT',
        '8',
        { body: gzipSync('{"n":8}'), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
        415,
        'Conjure:UnsupportedMediaType',
      ],
      ['PUT', 'x', { json: { n: 8 } }, 400, 'Default:InvalidArgument', 'primaryKey'],
      ['PATCH', '8', { json: { n: 9 } }, 422, 'Conjure:UnprocessableEntity', 'n'],
      ['PATCH', '8', { json: { n: null } }, 422, 'Conjure:UnprocessableEntity', 'n'],
      ['PATCH', '8', { json: { nope: 1 } }, 422, 'Conjure:UnprocessableEntity', 'nope'],
      ['PATCH', '8', { json: 5 }, 422, 'Conjure:UnprocessableEntity', ''],
      ['PATCH', 'x', { json: {} }, 404, 'ObjectNotFound'],
      ['DELETE', 'x', {}, 404, 'ObjectNotFound'],
      [
        'PATCH',
        '8',
        { body: 'n=8', headers: { 'content-type': 'text/plain' } },
        415,
        'Conjure:UnsupportedMediaType',
      ],
      ['PUT', '8', { json: { n: 8 }, headers: { 'if-match': 'bare' } }, 400, INVALID, 'If-Match'],
      ['DELETE', '8', { headers: { 'if-none-match': '' } }, 400, INVALID, 'If-None-Match'],
      ['DELETE', '8', { headers: { 'idempotency-key': 'a b' } }, 400, INVALID, 'Idempotency-Key'],
      [
        'DELETE',
        '8',
        { headers: { 'idempotency-key': 'k'.repeat(256) } },
        400,
        INVALID,
        'Idempotency-Key',
      ],
    ]
    for (const [method, key, options, status, errorName, parameter] of refusals) {
      const answer = await write(method, key, options)
      expect([method, options, answer.status, answer.body.errorName]).toEqual([
        method,
        options,
        status,
        errorName,
      ])
      if (parameter !== undefined) expect(answer.body.parameters.parameter).toBe(parameter)
    }
    expect((await get(8)).body.properties).toEqual({ n: 8, text: 'kept' })
  })

  it('requires the write scope and a visible ontology', async () => {
    const reader = await service.createToken({ scopes: ['api:ontologies-read'] })
    const other = await service.createToken({
      scopes: ['api:ontologies-write'],
      ontologies: ['aviation'],
    })
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const body = method === 'DELETE' ? {} : { json: { n: 8 } }
      expect((await write(method, 8, { ...body, token: reader })).status).toBe(403)
      expect((await write(method, 8, { ...body, token: other })).status).toBe(404)
      expect((await write(method, 8, { ...body, token: null })).status).toBe(401)
    }
  })
})

const INVALID = 'Default:InvalidArgument'
const JSON_TYPE = { 'content-type': 'application/json' }
const NOT_UTF8 = Buffer.from('{"n":8,"text":"\xff"}', 'latin1')
