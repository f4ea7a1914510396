import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { valuesOf, type Walk, walkPages } from '../support/walk.ts'

const PATH = '/api/admin/v1/ontologies/numbers/objects/number'
const walk: Walk = { revision: '1.0', ontology: 'numbers', objectType: 'number' }

describe('a replacement', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
  })
  afterAll(() => service[Symbol.asyncDispose]())
  beforeEach(async () => {
    const replacement = await start()
    await add(replacement, numbers(3))
    await publish(replacement)
  })

  const start = async (): Promise<string> =>
    (await service.send(`${PATH}/replacements`, { method: 'POST' })).body.replacement
  const publish = (replacement: string) =>
    service.send(`${PATH}/replacements/${replacement}/publish`, { method: 'POST' })
  const add = (replacement: string, objects: readonly object[]) =>
    service.send(`${PATH}?replacement=${replacement}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: objects.map((object) => JSON.stringify({ put: object })).join('\n'),
    })
  const stored = async () => valuesOf(await walkPages(service, walk), 'n')

  it('is invisible until it is published, and then replaces everything', async () => {
    const replacement = await start()
    const { body: before } = await add(replacement, numbers(2, 10))
    expect(before).toMatchObject({ put: 2, deleted: 0 })
    await add(replacement, numbers(2, 12))
    expect(await stored()).toEqual([0, 1, 2])
    const { body } = await publish(replacement)
    expect(body).toMatchObject({ put: 4, deleted: 3 })
    expect(body.version).toBeGreaterThan(before.version)
    expect(await stored()).toEqual([10, 11, 12, 13])
  })

  it('keeps the last of several objects with one key, across all its batches', async () => {
    const replacement = await start()
    await add(replacement, [{ n: 1, text: 'first' }])
    await add(replacement, [{ n: 1, text: 'last' }])
    expect((await publish(replacement)).body).toMatchObject({ put: 1 })
    const pages = await walkPages(service, walk)
    expect(valuesOf(pages, 'text')).toEqual(['last'])
  })

  it('discards what was written in the meantime, and accepts writes afterwards', async () => {
    const replacement = await start()
    await add(replacement, numbers(1, 50))
    const { body: meanwhile } = await service.put('numbers', 'number', [{ n: 7 }])
    expect(await stored()).toEqual([0, 1, 2, 7])
    const { body: published } = await publish(replacement)
    expect(published.version).toBe(meanwhile.version + 1)
    expect(await stored()).toEqual([50])
    await service.write('numbers', 'number', [{ put: { n: 51 } }, { delete: 50 }])
    expect(await stored()).toEqual([51])
  })

  it('[4.5.2] leaves earlier snapshots unchanged, in key order and any other', async () => {
    const ordered = (token = '') =>
      service.send(
        `/api/v1/ontologies/numbers/objects/number?snapshot=true&pageSize=2&orderBy=properties.n:desc${token}`,
      )
    const plain = (token = '') =>
      service.send(`/api/v1/ontologies/numbers/objects/number?snapshot=true&pageSize=2${token}`)
    const first = await Promise.all([plain(), ordered()])
    const tokens = first.map(({ body }) => `&pageToken=${body.nextPageToken}`)
    const replacement = await start()
    await add(replacement, numbers(9, 100))
    await publish(replacement)
    const [inKeyOrder, inOrder] = [await plain(tokens[0]), await ordered(tokens[1])]
    expect(inKeyOrder.body.data.map(nOf)).toEqual([2])
    expect(inOrder.body.data.map(nOf)).toEqual([0])
  })

  it('lets a walk without snapshot continue from an object that it replaced', async () => {
    const page = (token = '') =>
      service.send(
        `/api/v1/ontologies/numbers/objects/number?pageSize=2&orderBy=properties.n:desc${token}`,
      )
    const { body } = await page()
    expect(body.data.map(nOf)).toEqual([2, 1])
    const replacement = await start()
    await add(replacement, numbers(5, -2))
    await publish(replacement)
    const next = await page(`&pageToken=${body.nextPageToken}`)
    expect(next.body.data.map(nOf)).toEqual([0, -1])
  })

  it('can be abandoned, and is then unknown', async () => {
    const replacement = await start()
    await add(replacement, numbers(5, 100))
    const gone = await service.send(`${PATH}/replacements/${replacement}`, { method: 'DELETE' })
    expect(gone.body).toEqual({ replacement })
    for (const answer of [
      await add(replacement, numbers(1)),
      await publish(replacement),
      await service.send(`${PATH}/replacements/${replacement}`, { method: 'DELETE' }),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.body.errorName).toBe('ReplacementNotFound')
      expect(answer.body.parameters).toEqual({ replacement })
    }
    expect(await stored()).toEqual([0, 1, 2])
  })

  it('is published only once, and only by its own name', async () => {
    const replacement = await start()
    const { body: first } = await publish(replacement)
    expect(await stored()).toEqual([])
    await service.put('numbers', 'number', numbers(1))
    expect((await publish(replacement)).body).toEqual(first)
    expect(await stored()).toEqual([0])
    expect((await publish('999999')).body.errorName).toBe('ReplacementNotFound')
    const odd = await service.send(`${PATH}?replacement=x`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '',
    })
    expect(odd.body.parameters).toMatchObject({ parameter: 'replacement' })
  })

  it('accepts properties that were added in the meantime', async () => {
    await using other = await startService()
    await other.apply(NUMBERS)
    const { body } = await other.send(`${PATH}/replacements`, { method: 'POST' })
    const [type] = NUMBERS.objectTypes
    if (type === undefined) throw new Error('no type')
    const properties = { ...type.properties, size: { type: 'integer' as const } }
    await other.apply({ ...NUMBERS, objectTypes: [{ ...type, properties }] })
    const lines = { method: 'POST', headers: { 'content-type': 'application/x-ndjson' } }
    await other.send(`${PATH}?replacement=${body.replacement}`, {
      ...lines,
      body: '{"put":{"n":1,"size":9}}',
    })
    await other.send(`${PATH}/replacements/${body.replacement}/publish`, { method: 'POST' })
    const found = await other.send('/api/v1/ontologies/numbers/objects/number?properties.size.eq=9')
    expect(found.body.data.map(nOf)).toEqual([1])
  })

  it('requires the write scope', async () => {
    const token = await service.createToken({ scopes: ['api:ontologies-read'] })
    const answer = await service.send(`${PATH}/replacements`, { method: 'POST', token })
    expect(answer.body.errorName).toBe('ApiUsageDenied')
  })
})

function nOf(record: { properties: { n: number } }): number {
  return record.properties.n
}
