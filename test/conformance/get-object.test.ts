import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrimaryKeyType } from '../../src/ontology/definition/property-type.ts'
import { AVIATION } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const AIRPORTS = '/api/v1/ontologies/aviation/objects/airport'

const ZRH = { id: 'ZRH', name: 'Zürich', elevation: 432, aliases: ['Kloten'], countryCode: 'CH' }

/** For each key type: objects, the texts that match them, and texts that match nothing. */
const KEYS: Readonly<Record<PrimaryKeyType, { keys: unknown[]; texts: string[]; odd: string[] }>> =
  {
    string: {
      keys: ['a/b', 'ü %', '5', 'true', '"\\', '\u{1f600}', 'x'.repeat(512)],
      texts: ['a/b', 'ü %', '5', 'true', '"\\', '\u{1f600}', 'x'.repeat(512)],
      odd: ['A/b', ' ', 'x'.repeat(513), 'a\0', "' OR 1=1 --"],
    },
    boolean: { keys: [true], texts: ['true'], odd: ['false', 'True', '1', 'yes'] },
    byte: { keys: [-128, 7], texts: ['-128', '7'], odd: ['128', '7.5', 'x', ' 7', '0x7'] },
    short: { keys: [300], texts: ['300'], odd: ['32768', '3e2x'] },
    integer: { keys: [0, -5], texts: ['0', '-5'], odd: ['1', '2147483648', '-', 'NaN'] },
    long: {
      keys: ['9223372036854775807', '-9223372036854775808'],
      texts: ['9223372036854775807', '-9223372036854775808'],
      odd: ['9223372036854775806', '9223372036854775808', '1.0'],
    },
    double: {
      keys: [0.1, 1e21, 'Infinity', 0],
      texts: ['0.1', '1e+21', 'Infinity', '0'],
      odd: ['0.2', 'NaN', '-Infinity', 'inf'],
    },
    date: { keys: ['2026-01-31'], texts: ['2026-01-31'], odd: ['2026-02-31', '2026-01-30', '31'] },
    timestamp: {
      keys: ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123456Z'],
      texts: ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123456Z'],
      odd: ['2026-01-31', '2026-01-31T12:00:01Z', 'now'],
    },
  }

describe('get object, revision 1.0', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.put('aviation', 'airport', [ZRH, { id: 'QQQ' }])
    await service.apply({
      apiName: 'keys',
      objectTypes: Object.keys(KEYS).map((type) => ({
        apiName: type,
        primaryKey: 'key',
        properties: { key: { type: type as PrimaryKeyType } },
      })),
    })
    for (const [type, { keys }] of Object.entries(KEYS)) {
      const { status } = await service.put(
        'keys',
        type,
        keys.map((key) => ({ key })),
      )
      expect([type, status]).toEqual([type, 200])
    }
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('returns the same record as a listing', async () => {
    const { status, body, headers } = await service.send(`${AIRPORTS}/ZRH`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body.properties).toEqual(ZRH)
    const list = await service.send(`${AIRPORTS}?p.id.eq=ZRH`)
    expect(list.body.data).toEqual([body])
  })

  it('returns the selected properties, and always the key', async () => {
    for (const query of ['properties=name,elevation', 'properties=elevation&properties=name']) {
      const { body } = await service.send(`${AIRPORTS}/ZRH?${query}`)
      expect(body.properties).toEqual({ id: 'ZRH', name: 'Zürich', elevation: 432 })
      expect(body.rid).toMatch(/^ri\./)
    }
    const empty = await service.send(`${AIRPORTS}/QQQ?properties=name`)
    expect(empty.body.properties).toEqual({ id: 'QQQ' })
  })

  it('rejects unknown properties', async () => {
    for (const key of ['ZRH', 'nothing']) {
      const answer = await service.send(`${AIRPORTS}/${key}?properties=name,nope,__proto__`)
      expect(answer.status).toBe(404)
      expect(answer.body).toMatchObject({
        errorName: 'PropertiesNotFound',
        parameters: { objectType: 'airport', properties: ['nope', '__proto__'] },
      })
    }
  })

  it.each(Object.entries(KEYS))('finds objects by %s keys, and nothing else', async (type, key) => {
    const path = (text: string) =>
      `/api/v1/ontologies/keys/objects/${type}/${encodeURIComponent(text)}`
    for (const [index, text] of key.texts.entries()) {
      const { status, body } = await service.send(path(text))
      expect([text, status, body.properties]).toEqual([text, 200, { key: key.keys[index] }])
    }
    for (const text of key.odd) {
      const { status, body } = await service.send(path(text))
      expect([text, status, body.errorName]).toEqual([text, 404, 'ObjectNotFound'])
      expect(body.parameters).toEqual({ objectType: type, primaryKey: { key: text } })
    }
  })

  it('reads the latest state: no object before it is written or after it is deleted', async () => {
    const path = `${AIRPORTS}/NEW`
    expect((await service.send(path)).body).toMatchObject({
      errorName: 'ObjectNotFound',
      parameters: { objectType: 'airport', primaryKey: { id: 'NEW' } },
    })
    await service.put('aviation', 'airport', [{ id: 'NEW', elevation: 1 }])
    await service.put('aviation', 'airport', [{ id: 'NEW', elevation: 2 }])
    expect((await service.send(path)).body.properties).toEqual({ id: 'NEW', elevation: 2 })
    await service.write('aviation', 'airport', [{ delete: 'NEW' }])
    expect((await service.send(path)).status).toBe(404)
  })

  it('rejects unknown parts of the request with the common error body', async () => {
    const cases: readonly [path: string, status: number, errorName: string][] = [
      ['/api/v1/ontologies/aviation/objects/nothing/ZRH', 404, 'ObjectTypeNotFound'],
      ['/api/v1/ontologies/nowhere/objects/airport/ZRH', 404, 'OntologyNotFound'],
      [`${AIRPORTS}/ZRH?select=name`, 400, 'Default:InvalidArgument'],
      [`${AIRPORTS}/ZRH?properties=`, 404, 'PropertiesNotFound'],
      [`${AIRPORTS}/%zz`, 400, 'Default:InvalidArgument'],
      [`${AIRPORTS}/%ff`, 400, 'Default:InvalidArgument'],
      [`${AIRPORTS}/`, 404, 'ObjectNotFound'],
      [`${AIRPORTS}/${'x'.repeat(3000)}`, 400, 'Default:InvalidArgument'],
    ]
    for (const [path, status, errorName] of cases) {
      const answer = await service.send(path)
      expect([path, answer.status, answer.body?.errorName]).toEqual([path, status, errorName])
    }
    expect((await service.send(`${AIRPORTS}/ZRH`, { token: null })).status).toBe(401)
    const token = await service.createToken({ scopes: ['api:ontologies-write'] })
    expect((await service.send(`${AIRPORTS}/ZRH`, { token })).status).toBe(403)
  })
})
