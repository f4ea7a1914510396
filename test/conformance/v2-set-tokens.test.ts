import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AIRPORTS, PLACES, STATIONS } from '../support/places.ts'
import { type Service, startService } from '../support/service.ts'

const PATH = '/api/v2/ontologies/places/objectSets/loadObjectsMultipleObjectTypes'
const PLACE = { type: 'interfaceBase', interfaceType: 'Place' }

describe('page tokens of several types', () => {
  let service: Service
  const load = (json: object, token?: string) =>
    service.send(PATH, { json: { objectSet: PLACE, ...json }, ...(token && { token }) })
  const tokenOf = async (json: object) => (await load({ pageSize: 2, ...json })).body.nextPageToken
  const refusal = async (json: object, token?: string) => {
    const { status, body } = await load(json, token)
    expect([status, body.errorName]).toEqual([400, 'InvalidPageToken'])
    return body.parameters.reason
  }

  beforeAll(async () => {
    service = await startService()
    await service.apply(PLACES)
    await service.put('places', 'airport', AIRPORTS)
    await service.put('places', 'station', STATIONS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('can be used again, with another page size', async () => {
    const pageToken = await tokenOf({})
    const [first, second] = [await load({ pageToken }), await load({ pageToken, pageSize: 1 })]
    expect(first.body.data).toHaveLength(3)
    expect(second.body.data).toEqual(first.body.data.slice(0, 1))
  })

  it('are bound to the request', async () => {
    const pageToken = await tokenOf({})
    const orderBy = { fields: [{ field: 'height' }] }
    const where = { type: 'gt', field: 'height', value: 0 }
    for (const change of [
      { orderBy },
      { snapshot: true },
      { excludeRid: true },
      { select: ['height'] },
      { objectSet: { type: 'filter', objectSet: PLACE, where } },
      { objectSet: { ...PLACE, includeAllBaseObjectProperties: true } },
    ]) {
      expect(await refusal({ pageToken, ...change })).toBe('other request')
    }
    const other = await service.send(PATH.replace('MultipleObjectTypes', 'OrInterfaces'), {
      json: { objectSet: PLACE, pageToken },
    })
    expect(other.body.errorName).toBe('InvalidPageToken')
  })

  it('are bound to the caller', async () => {
    const pageToken = await tokenOf({})
    expect(await refusal({ pageToken }, await service.createToken())).toBe('other caller')
  })

  it('are refused after the interface lost a type', async () => {
    const pageToken = await tokenOf({})
    const objectTypes = PLACES.objectTypes.map(({ implements: implemented, ...type }) =>
      type.apiName === 'harbour'
        ? type
        : { ...type, ...(implemented && { implements: implemented }) },
    )
    await service.apply({ ...PLACES, objectTypes })
    expect(await refusal({ pageToken })).toBe('other request')
    await service.apply(PLACES)
  })

  it('expire', async () => {
    const pageToken = await tokenOf({ snapshot: true })
    service.clock.now += 301_000
    expect(await refusal({ pageToken, snapshot: true })).toBe('expired')
  })

  it('continue after the last object of a page was deleted', async () => {
    const orderBy = { fields: [{ field: 'height', direction: 'desc' }] }
    const first = await load({ pageSize: 2, orderBy })
    const last = first.body.data.at(-1)
    await service.write('places', last.$apiName, [{ delete: last.$primaryKey }])
    const { body } = await load({ orderBy, pageToken: first.body.nextPageToken })
    expect(body.data.map((one: { $primaryKey: unknown }) => one.$primaryKey)).toEqual(['B', 2, 'C'])
  })
})
