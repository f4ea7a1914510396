import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tableFromIPC } from '@uwdata/flechette'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { EXPORT_TYPES } from '../../src/contract/export-formats.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { readSheets } from '../support/xlsx-file.ts'

const EXPORT = '/api/admin/v1/ontologies/numbers/objects/number/export'
const COUNT = 2500

describe('an export', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: '10' } })
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
    await service.put('numbers', 'number', numbers(COUNT))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** Opens an export with a client that reads trailer fields, and reads nothing yet. */
  const open = async (path: string): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const request = get(service.url + path, { headers, agent: false })
    const [response] = await once(request, 'response')
    // The response reports errors as well.
    request.on('error', () => {})
    return response
  }

  const readAll = async (response: IncomingMessage): Promise<string> => {
    return Buffer.concat(await response.toArray()).toString()
  }

  const lines = async (parameters = ''): Promise<string[]> => {
    const { text } = await service.send(EXPORT + parameters)
    expect(text.endsWith('\n')).toBe(true)
    return text.slice(0, -1).split('\n')
  }

  it('contains every object in key order, beyond every limit, and nothing else', async () => {
    const all = await lines()
    expect(all).toEqual(numbers(COUNT).map((object) => JSON.stringify(object)))
    const response = await open(EXPORT)
    expect(response.headers['trailer']).toBe('oqs-count')
    expect((await readAll(response)).endsWith(`{"n":${COUNT - 1}}\n`)).toBe(true)
    expect(response.trailers).toEqual({ 'oqs-count': String(COUNT) })
  })

  it.each(['ndjson', 'csv', 'parquet', 'arrow', 'xlsx'])(
    'is not stored by caches as %s',
    async (format) => {
      const { status, headers } = await service.send(`${EXPORT}?format=${format}`)
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    },
  )

  it('has the order of the request, as of one version', async () => {
    const { text } = await service.send(`${EXPORT}?orderBy=properties.n:desc`)
    const expected = numbers(COUNT)
      .toReversed()
      .map((object) => JSON.stringify(object))
    expect(text.trimEnd().split('\n')).toEqual(expected)
    const where = encodeURIComponent('{"type":"lt","field":"properties.n","value":1500}')
    const filtered = await service.send(
      `${EXPORT}?orderBy=p.text,p.n:desc&where=${where}&format=csv`,
    )
    expect(filtered.text.split('\n').slice(0, 3)).toEqual(['n,text', '1499,', '1498,'])
    expect(filtered.text.trimEnd().split('\n')).toHaveLength(1501)
    for (const [parameter, query] of [
      ['after', 'orderBy=p.n&after=1'],
      ['after', 'format=xlsx&after=1'],
      ['endLine', 'format=parquet&endLine=true'],
    ]) {
      const { status, body } = await service.send(`${EXPORT}?${query}`)
      expect([status, body.parameters.parameter]).toEqual([400, parameter])
    }
  })

  it('keeps its order and its version while objects change', async () => {
    await using own = await startService()
    await own.apply(NUMBERS)
    await own.put('numbers', 'number', numbers(3000))
    const url = `${own.url}${EXPORT}?orderBy=p.n:desc`
    const response = await fetch(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
    await own.write('numbers', 'number', [{ delete: 1 }, { put: { n: 2, text: 'x' } }])
    await own.put('numbers', 'number', [{ n: 5000 }])
    const expected = numbers(3000)
      .toReversed()
      .map((object) => JSON.stringify(object))
    expect((await response.text()).trimEnd().split('\n')).toEqual(expected)
  })

  it('is a file for Parquet, Arrow or Excel, also by its media type', async () => {
    const send = async (query: string, accept?: string) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, ...(accept && { accept }) }
      const response = await fetch(`${service.url}${EXPORT}?${query}`, { headers })
      return { type: response.headers.get('content-type'), bytes: await response.arrayBuffer() }
    }
    const { parquet, arrow, xlsx, ndjson } = EXPORT_TYPES
    const byName = await send('format=parquet&orderBy=p.n:desc')
    expect(byName.type).toBe(parquet)
    const rows = await parquetReadObjects({ file: byName.bytes })
    expect(rows.map(({ n }) => n)).toEqual(
      numbers(COUNT)
        .map(({ n }) => n)
        .toReversed(),
    )
    expect((await send('', `text/html;q=0.9, ${parquet}, ${xlsx};q=0.5`)).type).toBe(parquet)
    expect((await send('', '*/*')).type).toBe(ndjson)
    const stream = await send('', arrow)
    expect(stream.type).toBe(arrow)
    expect(tableFromIPC(stream.bytes).toArray()).toMatchObject(numbers(COUNT))
    const sheets = readSheets(Buffer.from((await send('format=xlsx')).bytes))
    expect(Object.keys(sheets)).toEqual(['number'])
    expect(sheets['number']).toMatchObject({
      A1: 'n',
      B1: 'text',
      A2: 0,
      [`A${COUNT + 1}`]: COUNT - 1,
    })
  })

  it('ends with a line that states the number of objects on request', async () => {
    const all = await lines('?endLine=true')
    expect(all.slice(0, 2)).toEqual(['{"n":0}', '{"n":1}'])
    expect(all).toHaveLength(COUNT + 1)
    const { headers } = await service.send(EXPORT)
    const version = headers.get('oqs-version')
    expect(Number(version)).toBeGreaterThan(0)
    expect(all.at(-1)).toBe(`{"$end":{"count":${COUNT},"version":${version}}}`)
    expect(headers.get('content-type')).toBe('application/x-ndjson')
  })

  it('that fails midway is not complete for any client', async () => {
    const rows = Array.from({ length: 3000 }, (_, n) => ({ n, text: 'x'.repeat(10_000) }))
    await service.apply({ ...NUMBERS, apiName: 'broken', families: [] })
    await service.put('broken', 'number', rows)
    const path = '/api/admin/v1/ontologies/broken/objects/number/export'
    const response = await open(`${path}?format=csv`)
    const withEndLine = await open(`${path}?format=csv&endLine=true`)
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${path} HTTP/1.0\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`)
    await once(socket, 'readable')
    // Nothing is read yet, so the service has not read everything when the type disappears.
    await service.send('/api/admin/v1/ontologies/broken?cascade=true', { method: 'DELETE' })
    socket.resume()
    const [text] = await Promise.all([
      readAll(withEndLine),
      expect(readAll(response)).rejects.toThrow(/aborted|ECONNRESET/),
      // With HTTP/1.0, a body ends with its connection.
      expect(once(socket, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' }),
    ])
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^# export failed: {/)
  })

  it('reads only its first chunk for HEAD', async () => {
    const read = vi.spyOn(service.store, 'readPage')
    const { status, headers, text } = await service.send(EXPORT, { method: 'HEAD' })
    const version = headers.get('oqs-version')
    expect([status, Number(version) > 0, text]).toEqual([200, true, ''])
    // A later request would wait behind further chunks.
    await service.send(`${EXPORT}?received=2500&version=${version}&after=2499`)
    expect(read).toHaveBeenCalledTimes(2)
    read.mockRestore()
  })

  it('is one snapshot, whatever is written during the export', async () => {
    const response = await fetch(service.url + EXPORT, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    })
    const reader = response.body?.getReader()
    const begun = await reader?.read()
    await service.put('numbers', 'number', [{ n: 2400, text: 'changed' }, { n: 99_999 }])
    let text = Buffer.from(begun?.value ?? []).toString()
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text += Buffer.from(part.value).toString()
    }
    expect(text.split('\n')).toHaveLength(COUNT + 1)
    expect(text).not.toContain('changed')
    await service.write('numbers', 'number', [{ put: { n: 2400 } }, { delete: 99_999 }])
  })

  it('resumes where it was interrupted, with the same bytes', async () => {
    for (const format of ['ndjson', 'csv']) {
      const whole = await service.send(`${EXPORT}?endLine=true&format=${format}`)
      const version = whole.headers.get('oqs-version')
      const all = whole.text.split('\n')
      for (const received of [0, 1, 999, 1000, 1001, COUNT]) {
        const kept = all.slice(0, received + (format === 'csv' ? 1 : 0))
        const after = received === 0 ? '' : `&after=${received - 1}`
        const rest = await service.send(
          `${EXPORT}?endLine=true&format=${format}&version=${version}&received=${received}${after}`,
        )
        const parts = after === '' ? rest.text : [...kept, rest.text].join('\n')
        expect(parts).toBe(whole.text)
      }
    }
  })

  it('supports queries and selected properties', async () => {
    const where = encodeURIComponent(
      JSON.stringify({ type: 'gte', field: 'properties.n', value: COUNT - 2 }),
    )
    expect(await lines(`?where=${where}`)).toEqual([`{"n":${COUNT - 2}}`, `{"n":${COUNT - 1}}`])
    await service.put('aviation', 'airport', [
      { id: 'ZRH', name: 'Zürich, "Kloten"', elevation: 1416, aliases: ['a', 'b'] },
      { id: '#1' },
    ])
    const { text } = await service.send(
      '/api/admin/v1/ontologies/aviation/objects/airport/export?format=csv&select=name,aliases,elevation',
    )
    expect(text.split('\n')).toEqual([
      'id,name,elevation,aliases',
      '"#1",,,',
      'ZRH,"Zürich, ""Kloten""",1416,"[""a"",""b""]"',
      '',
    ])
  })

  it('of an empty type contains only the header line, and the end line on request', async () => {
    const path = '/api/admin/v1/ontologies/aviation/objects/country/export?format=csv'
    expect((await service.send(path)).text).toBe('code,name\n')
    const { text } = await service.send(`${path}&endLine=true`)
    expect(text).toBe('code,name\n# end of export: 0 objects, version 0\n')
  })

  it.each([
    ['?format=xml', 'Default:InvalidArgument', { parameter: 'format' }],
    ['?where={', 'Default:InvalidArgument', { parameter: 'where' }],
    ['?where=%7B%22type%22%3A%22odd%22%7D', 'Default:InvalidArgument', { parameter: 'where.type' }],
    ['?where=[]', 'Conjure:UnprocessableEntity', { parameter: 'where' }],
    ['?select=size', 'PropertiesNotFound', { properties: ['size'] }],
    ['?version=9007199254740991', 'VersionNotFound', { version: 9007199254740991 }],
    ['?after=1', 'Default:InvalidArgument', { parameter: 'version' }],
    ['?after=1&received=2', 'Default:InvalidArgument', { parameter: 'version' }],
    ['?after=x&newest=true', 'Default:InvalidArgument', { parameter: 'after' }],
    ['?newest=true', 'Default:InvalidArgument', { parameter: 'newest' }],
    ['?newest=true&after=1&version=1', 'Default:InvalidArgument', { parameter: 'newest' }],
    ['?newest=true&after=1&slice=x', 'Default:InvalidArgument', { parameter: 'newest' }],
    ['?received=-1', 'Default:InvalidArgument', { parameter: 'received' }],
    ['?received=1', 'Default:InvalidArgument', { parameter: 'received' }],
    ['?pageSize=3', 'Default:InvalidArgument', { parameter: 'pageSize' }],
  ])('rejects %s', async (parameters, errorName, expected) => {
    const { body } = await service.send(EXPORT + parameters)
    expect(body.errorName).toBe(errorName)
    expect(body.parameters).toMatchObject(expected)
  })

  it('requires the read scope and a visible ontology', async () => {
    const other = await service.createToken({ ontologies: ['aviation'] })
    const { body } = await service.send(EXPORT, { token: other })
    expect(body.errorName).toBe('OntologyNotFound')
    const reader = await service.createToken({})
    expect((await service.send(EXPORT, { token: reader })).status).toBe(200)
  })
})
