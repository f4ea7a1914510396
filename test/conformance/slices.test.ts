/** Slices: page tokens that divide one snapshot. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { readSlice, slicesOf } from '../support/slices.ts'

const PATH = '/api/v2/ontologies/numbers/slices/number'
const LIST = '/api/v2/ontologies/numbers/objects/number'
const EXPORT = '/api/admin/v1/ontologies/numbers/objects/number/export'
const COUNT = 103
const WHERE = '{"type":"gt","field":"properties.n","value":0}'
const keysOf = (records: readonly { readonly n: number }[]) => records.map(({ n }) => n)

describe('slices', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(COUNT))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it.each([1, 2, 3, 4, 7, 64])('divide a snapshot evenly: %s', async (count) => {
    const tokens = await slicesOf(service, 'numbers', 'number', count)
    expect(tokens).toHaveLength(count)
    const slices = await Promise.all(
      tokens.map((token) => readSlice(service, 'numbers', 'number', token, 10)),
    )
    expect(slices.flatMap(({ records }) => keysOf(records as never))).toEqual(
      Array.from({ length: COUNT }, (_, n) => n),
    )
    const sizes = slices.map(({ records }) => records.length)
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
  })

  it('are of one snapshot, and end with the same changes', async () => {
    const tokens = await slicesOf(service, 'numbers', 'number', 3)
    await service.write('numbers', 'number', [
      { delete: 0 },
      { delete: 50 },
      { put: { n: 60, text: 'changed' } },
      { put: { n: 1000 } },
    ])
    const slices = await Promise.all(
      tokens.map((token) => readSlice(service, 'numbers', 'number', token, 9)),
    )
    const records = slices.flatMap((slice) => slice.records)
    expect(keysOf(records as never)).toEqual(Array.from({ length: COUNT }, (_, n) => n))
    expect(records[60]).not.toHaveProperty('text')
    for (const { changes } of slices) {
      const { body } = await service.send(
        `/api/v2/ontologies/numbers/changes/number?since=${changes}`,
      )
      expect(body.data).toHaveLength(4)
    }
    await service.write('numbers', 'number', [
      { put: { n: 0 } },
      { put: { n: 50 } },
      { put: { n: 60 } },
      { delete: 1000 },
    ])
  })

  it('are as many as there are objects, and one of an empty type', async () => {
    await using other = await startService()
    await other.apply(NUMBERS)
    const changesOf = async (): Promise<string> => {
      const [token = '', ...more] = await slicesOf(other, 'numbers', 'number', 5)
      expect(more).toEqual([])
      const { body } = await other.send(`${LIST}?snapshot=true&pageToken=${token}`)
      expect(body).toMatchObject({ data: [], totalCount: '0' })
      expect(body).not.toHaveProperty('nextPageToken')
      const exported = await other.send(`${EXPORT}?slice=${token}`)
      expect([exported.status, exported.text]).toEqual([200, ''])
      return body.nextChangesToken
    }
    const since = await changesOf()
    await other.put('numbers', 'number', numbers(3))
    const changes = `/api/v2/ontologies/numbers/changes/number?since=${since}`
    expect((await other.send(changes)).body.data).toHaveLength(3)
    expect(await slicesOf(other, 'numbers', 'number', 5)).toHaveLength(3)
    await other.write('numbers', 'number', [{ delete: 0 }, { delete: 1 }, { delete: 2 }])
    await changesOf()
  })

  it('are for the list with the same selection, and for no other request', async () => {
    const { body } = await service.send(`${PATH}?count=2&select=n&excludeRid=true`, {
      method: 'POST',
    })
    const [, token] = body.pageTokens
    const list = (query: string, as = {}) => service.send(`${LIST}?${query}&pageToken=${token}`, as)
    const { body: page } = await list('snapshot=true&select=n&excludeRid=true&pageSize=1')
    expect(page.data).toEqual([{ __primaryKey: 52, __apiName: 'number', n: 52 }])
    for (const query of [
      'snapshot=true',
      'select=n&excludeRid=true',
      'snapshot=true&orderBy=p.n',
    ]) {
      const { body: refused } = await list(query)
      expect([query, refused.parameters.reason]).toEqual([query, 'other request'])
    }
    const other = { token: await service.createToken({ name: 'other' }) }
    const { body: foreign } = await list('snapshot=true&select=n&excludeRid=true', other)
    expect(foreign.parameters.reason).toBe('other caller')
  })

  it.each([
    ['', 'count'],
    ['count=0', 'count'],
    ['count=65', 'count'],
    ['count=two', 'count'],
    ['count=2&orderBy=properties.n:asc', 'orderBy'],
  ])('reject ?%s', async (query, parameter) => {
    const { status, body } = await service.send(`${PATH}?${query}`, { method: 'POST' })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(parameter)
  })

  it('reject a body with members, which would have no effect', async () => {
    const post = (text: string) => {
      const headers = { 'content-type': 'application/json' }
      return service.send(`${PATH}?count=2`, { method: 'POST', headers, body: text })
    }
    const { status, body } = await post(`{"where":${WHERE}}`)
    expect([status, body.parameters.parameter]).toEqual([422, 'where'])
    expect((await post('{}')).body.pageTokens).toHaveLength(2)
  })

  it('are exported like the whole type, in any format', async () => {
    for (const format of ['ndjson', 'csv']) {
      const tokens = await slicesOf(service, 'numbers', 'number', 4, '&select=text')
      const texts: string[] = []
      for (const token of tokens) {
        const query = `format=${format}&select=text&slice=${token}`
        const part = await service.send(`${EXPORT}?${query}&endLine=true`)
        const lines = part.text.split('\n')
        expect(lines.at(-2)).toMatch(/"?count"?:? ?(25|26)|25|26/)
        if (format === 'csv' && texts.length > 0) expect(lines.shift()).toBe('n,text')
        texts.push(
          lines
            .slice(0, -2)
            .map((line) => `${line}\n`)
            .join(''),
        )
      }
      const whole = await service.send(`${EXPORT}?format=${format}&select=text`)
      expect(texts.join('')).toBe(whole.text)
    }
  })

  it('can be resumed in an export, also after the last object', async () => {
    const [, token] = await slicesOf(service, 'numbers', 'number', 2)
    const rest = (after: number, received: number) =>
      service.send(`${EXPORT}?slice=${token}&after=${after}&received=${received}`)
    expect((await rest(100, 49)).text).toBe('{"n":101}\n{"n":102}\n')
    expect((await rest(102, 51)).text).toBe('')
    const [first] = await slicesOf(service, 'numbers', 'number', 2)
    const ended = await service.send(`${EXPORT}?slice=${first}&after=51&received=52`)
    expect([ended.status, ended.text]).toEqual([200, ''])
    const tooMany = await rest(102, 99)
    expect([tooMany.status, tooMany.body.parameters.parameter]).toEqual([400, 'received'])
    const before = await rest(7, 1)
    expect([before.status, before.body.parameters.parameter]).toEqual([400, 'after'])
  })

  it('of an export take the place of where and version, and have tokens of their own', async () => {
    const [slice] = await slicesOf(service, 'numbers', 'number', 2)
    for (const more of ['version=1', `where=${encodeURIComponent(WHERE)}`]) {
      expect((await service.send(`${EXPORT}?slice=${slice}&${more}`)).status).toBe(400)
    }
    const { body } = await service.send(`${LIST}?snapshot=true&pageSize=2`)
    const walked = await service.send(`${EXPORT}?slice=${body.nextPageToken}`)
    expect(walked.body.parameters.reason).toBe('other request')
    const forged = await service.send(`${EXPORT}?slice=v1.forged`)
    expect(forged.body.parameters.reason).toBe('malformed')
  })

  it('have a token for their snapshot when they expire, and none for another moment', async () => {
    const [, token = ''] = await slicesOf(service, 'numbers', 'number', 2)
    service.clock.now += 301 * 1000
    const list = (pageToken: string) => service.send(`${LIST}?snapshot=true&pageToken=${pageToken}`)
    const { body } = await list(token)
    expect(body.parameters).not.toHaveProperty('continueToken')
    const renewed = await list(body.parameters.snapshotToken)
    expect(renewed.body.data).toHaveLength(51)
    const exported = await service.send(`${EXPORT}?slice=${body.parameters.snapshotToken}`)
    expect(exported.text.split('\n')).toHaveLength(52)
    service.clock.now += 24 * 3600 * 1000
    const { body: gone } = await list(token)
    expect(gone.parameters).toEqual({ pageToken: token, reason: 'expired' })
  })
})

describe('slices of a caller that sees a part of the objects', () => {
  it('divide what it sees, and reveal nothing about the rest', async () => {
    await using service = await startService()
    await service.apply(NUMBERS)
    const shown = (n: number) => n >= 80 || n % 10 === 3
    await service.put(
      'numbers',
      'number',
      numbers(100).map(({ n }) => ({ n, text: shown(n) ? 'shown' : 'hidden' })),
    )
    const right = {
      ontology: 'numbers',
      objectType: 'number',
      access: 'read',
      where: { type: 'eq', field: 'text', value: 'shown' },
    }
    const path = '/api/admin/v1/policies/shown'
    await service.send(path, { method: 'PUT', json: { rights: [right] } })
    const token = await service.createToken({ policies: ['shown'] })
    const visible = Array.from({ length: 100 }, (_, n) => n).filter(shown)
    for (const count of [1, 3, 28, 40]) {
      const tokens = await slicesOf(service, 'numbers', 'number', count, '', token)
      expect(tokens).toHaveLength(Math.min(count, visible.length))
      const slices = await Promise.all(
        tokens.map((slice) => readSlice(service, 'numbers', 'number', slice, 4, token)),
      )
      expect(slices.flatMap(({ records }) => keysOf(records as never))).toEqual(visible)
      const sizes = slices.map(({ records }) => records.length)
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
    }
    const tokens = await slicesOf(service, 'numbers', 'number', 3, '', token)
    const parts = await Promise.all(
      tokens.map((slice) => service.send(`${EXPORT}?slice=${slice}`, { token })),
    )
    const whole = await service.send(EXPORT, { token })
    expect(parts.map(({ text }) => text).join('')).toBe(whole.text)
  })
})
