import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

/** Batches that are parsed in a thread behave like small ones, which are parsed on the main thread. */

const PROPERTIES = {
  id: { type: 'string' },
  text: { type: 'string' },
  long: { type: 'long' },
  price: { type: 'decimal' },
  at: { type: 'timestamp' },
  tags: { type: 'array', items: { type: 'string' } },
  place: { type: 'geopoint' },
  parts: { type: 'array', items: { type: 'struct', fields: { name: { type: 'string' } } } },
} as const

const define = (further: object = {}): OntologyDefinition => ({
  apiName: 'large',
  objectTypes: ['small', 'large'].map((apiName) => ({
    apiName,
    primaryKey: 'id',
    titleProperty: 'text',
    properties: { ...PROPERTIES, ...further },
  })),
})

const WORDS = ['alpha', 'Beta', 'γάμμας', '日本', 'tab\tand\\slash', 'line\nbreak', 'a.b', 'x!y']

/**
 * Some properties are missing in some objects. One text is too long for an index, and for one message
 * to the database, which cuts it within a character.
 */
function makeObject(n: number): object {
  const word = (step: number) => WORDS[(n * step) % WORDS.length] ?? ''
  return {
    id: `k${String((n * 7919) % 100_003).padStart(6, '0')}`,
    text: n === 700 ? 'long 日本 '.repeat(12_000) : `${word(1)} ${word(3)} number ${n}`,
    long: n % 3 === 0 ? null : n * 1_000_003,
    price: `${n}.50`,
    at: `2026-01-02T03:04:${String(n % 60).padStart(2, '0')}+01:00`,
    tags: n % 4 === 0 ? [] : [word(5), word(7)],
    ...(n % 5 === 0 ? { place: { type: 'Point', coordinates: [n % 180, n % 90] } } : {}),
    parts: [{ name: word(2) }],
  }
}

const OBJECTS = Array.from({ length: 1100 }, (_, n) => makeObject(n))
const idOf = (object: object) => (object as { id: string }).id
const PATH = '/api/admin/v1/ontologies/large/objects'

describe('a large batch', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(define())
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const listed = async (type: string) =>
    (await service.send(`${PATH}/${type}/export?format=ndjson`)).text
  const search = async (type: string, query: object) => {
    const { status, body } = await service.send(`/api/v1/ontologies/large/objects/${type}/search`, {
      json: { query, pageSize: 1000 },
    })
    expect(status).toBe(200)
    return body.data.map(({ properties }: { properties: { id: string } }) => properties.id)
  }
  const send = (body: string, parameters = '') =>
    service.send(`${PATH}/large${parameters}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    })
  const linesOf = (changes: readonly object[]) =>
    changes.map((change) => JSON.stringify(change)).join('\n')

  it('stores the same objects, and queries find them', async () => {
    for (let at = 0; at < OBJECTS.length; at += 50) {
      const { status } = await service.put('large', 'small', OBJECTS.slice(at, at + 50))
      expect(status).toBe(200)
    }
    const { body } = await service.put('large', 'large', OBJECTS)
    expect(body).toEqual({ version: expect.any(Number), put: 1100, deleted: 0 })
    expect(await listed('large')).toBe(await listed('small'))
    const queries = [
      { type: 'anyTerm', field: 'properties.text', value: 'γάμμας' },
      { type: 'allTerms', field: 'properties.text', value: 'alpha number' },
      { type: 'phrase', field: 'properties.text', value: 'number 77' },
      { type: 'anyTerm', field: 'properties.text', value: 'alphx', fuzzy: true },
      { type: 'eq', field: 'properties.tags', value: 'line\nbreak' },
      { type: 'eq', field: 'properties.price', value: '77.5' },
      { type: 'prefix', field: 'properties.text', value: 'be' },
    ]
    for (const query of queries) {
      const found = await search('large', query)
      expect([query, found.length > 0]).toEqual([query, true])
      expect(found).toEqual(await search('small', query))
    }
  })

  it('applies puts, deletes and repeated keys like a small one', async () => {
    const [first, second] = OBJECTS as [{ id: string }, { id: string }]
    const changes = [
      { delete: first.id },
      ...OBJECTS.slice(1).map((put) => ({ put })),
      { put: { ...first, text: 'again' } },
      { delete: second.id },
      { delete: 'unknown' },
    ]
    const { body } = await send(linesOf(changes))
    expect(body).toMatchObject({ put: 1099, deleted: 1 })
    const appended = await send(linesOf(OBJECTS.map((put) => ({ put }))), '?mode=append')
    expect(appended.body).toMatchObject({ put: 1, kept: 1099 })
    expect(
      await search('large', { type: 'phrase', field: 'properties.text', value: 'again' }),
    ).toEqual([first.id])
  })

  it('in key order keeps the last of two equal keys, and all others', async () => {
    const sorted = OBJECTS.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
    const repeated = { ...sorted[600], text: 'repeated' }
    const changes = sorted.toSpliced(601, 0, repeated).map((put) => ({ put }))
    const { body } = await send(linesOf(changes))
    expect(body).toMatchObject({ put: 1100, deleted: 0 })
    const found = { type: 'phrase', field: 'properties.text', value: 'repeated' }
    expect(await search('large', found)).toEqual([idOf(repeated)])
    const others = { type: 'anyTerm', field: 'properties.text', value: 'alpha beta' }
    const expected: string[] = await search('small', others)
    expect(await search('large', others)).toEqual(expected.filter((id) => id !== idOf(repeated)))
  })

  it('names the lines of its mistakes, and writes nothing', async () => {
    const before = await listed('large')
    const lines = OBJECTS.map((put) => JSON.stringify({ put: { ...put, text: 'never' } }))
    lines[500] = '{"put":{"id":"a","tags":["b",1]}}'
    lines[800] = 'x'
    const answer = await send(lines.join('\n'))
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      errorName: 'InvalidBatchLine',
      parameters: {
        line: 501,
        property: 'tags[1]',
        refused: [{ line: 501, property: 'tags[1]' }, { line: 801 }],
      },
    })
    const dry = await send(lines.toSpliced(800, 1).toSpliced(500, 1).join('\n'), '?dryRun=true')
    expect(dry.body).toMatchObject({ put: 0 })
    expect((await send(lines.join('\n'), '?dryRun=true')).body.parameters.line).toBe(501)
    expect(await listed('large')).toBe(before)
    expect(
      await search('large', { type: 'anyTerm', field: 'properties.text', value: 'never' }),
    ).toEqual([])
  })

  it('is checked against the newest definition', async () => {
    const objects = OBJECTS.map((object, n) => ({ ...object, added: `new ${n}` }))
    expect((await service.put('large', 'large', objects)).body.parameters.property).toBe('added')
    await service.apply(define({ added: { type: 'string' } }))
    expect((await service.put('large', 'large', objects)).body).toMatchObject({ put: 1100 })
    const query = { type: 'phrase', field: 'properties.added', value: 'new 834' }
    expect(await search('large', query)).toHaveLength(1)
  })

  it('is applied once with an idempotency key', async () => {
    const write = (body: string) =>
      service.send(`${PATH}/large`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': 'large-once' },
        body,
      })
    const lines = linesOf(OBJECTS.map((put) => ({ put })))
    const first = await write(lines)
    const second = await write(lines)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect((await write(`${lines}\n`)).body.errorName).toBe('IdempotencyKeyReused')
  })

  it('leaves nothing behind when its client disconnects', async () => {
    const before = await listed('large')
    // More than the service parses before the rest arrives, and more than one caller can hold.
    for (let n = 0; n < 8; n += 1) {
      const socket = await openBatch(service.url)
      socket.write(linesOf(OBJECTS.map((put) => ({ put: { ...put, text: 'left' } }))))
      await new Promise((resolve) => socket.write('\n', resolve))
      socket.destroy()
    }
    expect((await service.put('large', 'large', OBJECTS.slice(0, 700))).body.put).toBe(700)
    expect(await listed('large')).toBe(before)
    expect(
      await search('large', { type: 'anyTerm', field: 'properties.text', value: 'left' }),
    ).toEqual([])
  })
})

async function openBatch(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = [
    `POST ${PATH}/large HTTP/1.1`,
    'host: x',
    'authorization: Bearer admin-token-of-the-tests',
    'content-type: application/x-ndjson',
    'content-length: 60000000',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return socket
}
