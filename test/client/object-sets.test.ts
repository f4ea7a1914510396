/** Object sets, actions and writes of single objects, called through the client. */
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, or } from '../../src/client/index.ts'
import { sendJson, startPeer } from '../support/http-peer.ts'
import { AVIATION } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(AVIATION)
  await service.put('aviation', 'country', [{ code: 'CH' }, { code: 'FR' }, { code: 'US' }])
  const airports = Array.from({ length: 30 }, (_, index) => ({
    id: `A${String(index).padStart(2, '0')}`,
    name: index % 2 === 0 ? `Even ${index}` : `Odd ${index}`,
    elevation: index,
    countryCode: ['CH', 'FR'][index % 2],
  }))
  await service.put('aviation', 'airport', airports)
})
afterAll(() => service[Symbol.asyncDispose]())

const connect = (baseUrl = service.url) =>
  createClient({ baseUrl, ontology: 'aviation', token: ADMIN_TOKEN })

describe('an object set', () => {
  const airports = () => connect().objectSet('airport').pageSize(4)
  const idsOf = async (set: ReturnType<typeof airports>) =>
    (await set.toArray()).map(({ id }) => id)

  it('is walked to its end', async () => {
    const all = await airports().snapshot().toArray()
    expect(all).toHaveLength(30)
    expect(all[0]).toMatchObject({ __primaryKey: 'A00', __apiName: 'airport', id: 'A00' })
    expect(await airports().get('A07')).toMatchObject({ elevation: 7 })
    const selected = await airports().select('name').first()
    expect(selected).toMatchObject({ name: 'Even 0' })
    expect(selected).not.toHaveProperty('elevation')
  })

  it('has conditions and an order', async () => {
    const high = airports().where({ elevation: { gte: 27 } })
    expect(await idsOf(high.orderBy('elevation', 'desc'))).toEqual(['A29', 'A28', 'A27'])
    expect(await idsOf(airports().where({ id: { in: ['A01', 'A02'] } }))).toEqual(['A01', 'A02'])
    expect(await idsOf(high.where({ name: { allTerms: 'even' } }))).toEqual(['A28'])
    const either = or({ id: 'A03' }, { elevation: { lt: 1 } })
    expect(await idsOf(airports().where(either))).toEqual(['A00', 'A03'])
  })

  it('is combined with others', async () => {
    const low = airports().where({ elevation: { lt: 3 } })
    const even = airports().where({ countryCode: 'CH' })
    expect(await idsOf(low.intersect(even))).toEqual(['A00', 'A02'])
    expect(await idsOf(low.subtract(even))).toEqual(['A01'])
    expect(await idsOf(low.union(airports().where({ id: 'A29' })))).toEqual([
      'A00',
      'A01',
      'A02',
      'A29',
    ])
    const countries = await low.subtract(even).pivotTo('country').toArray()
    expect(countries.map(({ code }) => code)).toEqual(['FR'])
  })

  it('can be stored and read again', async () => {
    const client = connect()
    const rid = await client.objectSet('airport').where({ id: 'A05' }).createTemporary()
    const { objectSets } = client.endpoints
    const objectSet = { type: 'reference', reference: rid }
    const { data } = await objectSets.loadObjects('aviation', { objectSet })
    expect(data).toMatchObject([{ __primaryKey: 'A05' }])
    expect(await objectSets.getObjectSet('aviation', rid)).toMatchObject({ type: 'filter' })
  })

  it('is counted and aggregated', async () => {
    const low = airports().where({ elevation: { lt: 5 } })
    expect(await airports().count()).toBe(30)
    expect(await low.count()).toBe(5)
    expect(await low.where({ id: 'A29' }).count()).toBe(0)
    expect(await low.union(airports().where({ id: 'A29' })).count()).toBe(6)
    expect(await low.pivotTo('country').count()).toBe(2)
    const { data, accuracy } = await low.aggregate({
      metrics: {
        objects: { type: 'count' },
        highest: { type: 'max', field: 'elevation' },
        names: { type: 'exactDistinct', field: 'name' },
      },
      groupBy: [{ type: 'exact', field: 'countryCode' }],
    })
    expect(accuracy).toBe('ACCURATE')
    expect(data).toEqual([
      { group: { countryCode: 'CH' }, metrics: { objects: 3, highest: 4, names: 3 } },
      { group: { countryCode: 'FR' }, metrics: { objects: 2, highest: 3, names: 2 } },
    ])
  })

  it('is aggregated with the request of v2', async () => {
    const bodies: Promise<string>[] = []
    const answer = {
      accuracy: 'ACCURATE',
      data: [{ group: {}, metrics: [{ name: 'n', value: 3 }] }],
    }
    await using peer = await startPeer((request: IncomingMessage, response) => {
      const body = text(request)
      bodies.push(body)
      void body.then(() => sendJson(200, answer)(request, response as never))
    })
    const result = await connect(peer.url)
      .objectSet('airport')
      .where({ id: 'A01' })
      .aggregate({
        metrics: { n: { type: 'exactDistinct', field: 'name' } },
        groupBy: [{ type: 'exact', field: 'countryCode' }],
      })
    expect(result.data[0]?.metrics.n).toBe(3)
    expect(peer.requests).toEqual(['POST /api/v2/ontologies/aviation/objectSets/aggregate'])
    expect(JSON.parse((await bodies[0]) ?? '')).toEqual({
      objectSet: {
        type: 'filter',
        objectSet: { type: 'base', objectType: 'airport' },
        where: { type: 'eq', field: 'id', value: 'A01' },
      },
      aggregation: [{ type: 'exactDistinct', field: 'name', name: 'n' }],
      groupBy: [{ type: 'exact', field: 'countryCode' }],
    })
  })
})

describe('an action', () => {
  it('is applied, validated, or throws', async () => {
    const client = connect()
    await client.applyAction('create-country', { code: 'JP', name: 'Japan' })
    expect(await client.objects('country').get('JP')).toEqual({ code: 'JP', name: 'Japan' })
    const { objectSets } = client.endpoints
    expect(await objectSets.validateAction('aviation', 'create-country', {})).toMatchObject({
      result: 'INVALID',
    })
    await objectSets.applyActionBatch('aviation', 'delete-country', [
      { parameters: { objectToDeleteParameter: 'JP' } },
    ])
    await expect(client.objects('country').get('JP')).rejects.toMatchObject({
      errorName: 'ObjectNotFound',
    })
    await expect(client.applyAction('create-country', {})).rejects.toMatchObject({
      errorName: 'ActionValidationFailed',
      parameters: { parameters: ['code'] },
    })
    await expect(client.applyAction('no-such-action', {})).rejects.toMatchObject({
      errorName: 'ActionTypeNotFound',
    })
  })
})

describe('one object', () => {
  it('is written if its entity tag matches', async () => {
    const countries = connect().edit('country')
    const created = await countries.put('DE', { code: 'DE' }, { ifNoneMatch: '*' })
    expect(created.etag).toMatch(/^"/)
    const again = countries.put('DE', { code: 'DE' }, { ifNoneMatch: '*' })
    await expect(again).rejects.toMatchObject({ statusCode: 412, errorName: 'PreconditionFailed' })
    const patched = await countries.patch('DE', { name: 'Germany' }, { ifMatch: created.etag })
    expect(patched.version).toBe(created.version + 1)
    const late = countries.delete('DE', { ifMatch: created.etag })
    await expect(late).rejects.toMatchObject({ errorName: 'PreconditionFailed' })
    const read = await countries.get('DE')
    expect(read).toEqual({ object: { code: 'DE', name: 'Germany' }, etag: patched.etag })
    await countries.delete('DE', { ifMatch: read.etag })
    await expect(connect().objects('country').get('DE')).rejects.toThrow('ObjectNotFound')
  })

  it('is deleted with all others that match a condition, never with all', async () => {
    const client = connect()
    await client.edit('country').batch([{ put: { code: 'X1' } }, { put: { code: 'X2' } }])
    const deleted = await client.edit('country').deleteWhere({ code: { in: ['X1', 'X2'] } })
    expect(deleted).toMatchObject({ deleted: 2 })
    expect(() => client.edit('country').deleteWhere({})).toThrow(TypeError)
    expect(await client.objects('country').count()).toBe(3)
  })

  it('is written once with a key of the program, by whichever method', async () => {
    const client = connect()
    const countries = client.edit('country')
    const putOnce = () => countries.put('FI', { code: 'FI' }, { idempotencyKey: 'put' })
    expect(await putOnce()).toEqual(await putOnce())
    const batchOnce = () => countries.batch([{ delete: 'FI' }], { idempotencyKey: 'batch' })
    expect(await batchOnce()).toMatchObject({ deleted: 1 })
    expect(await batchOnce()).toMatchObject({ deleted: 1 })
    const action = { code: 'FI' }
    await client.applyAction('create-country', action, { idempotencyKey: 'action' })
    await client.applyAction('create-country', action, { idempotencyKey: 'action' })
    const deleteOnce = () => countries.deleteWhere({ code: 'FI' }, { idempotencyKey: 'query' })
    expect(await deleteOnce()).toMatchObject({ deleted: 1 })
    expect(await deleteOnce()).toMatchObject({ deleted: 1 })
  })

  it('is written once, even if the response is lost', async () => {
    const answers: string[] = []
    let requests = 0
    const client = createClient({
      baseUrl: service.url,
      ontology: 'aviation',
      token: ADMIN_TOKEN,
      retries: { pause: async () => {} },
      fetch: async (...request) => {
        const response = await fetch(...request)
        answers.push(await response.clone().text())
        requests += 1
        if (requests === 1) throw new TypeError('the response was lost')
        return response
      },
    })
    await client.edit('country').batch([{ put: { code: 'ES' } }])
    expect(answers).toHaveLength(2)
    expect(answers[0]).toBe(answers[1])
    await client.edit('country').delete('ES')
  })
})
