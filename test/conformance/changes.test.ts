import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { retentionOf } from '../../src/server/maintenance.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const LIST = '/api/v1/ontologies/numbers/objects/number'
const CHANGES = '/api/v1/ontologies/numbers/changes/number'
const CHANGES_V2 = '/api/v2/ontologies/numbers/changes/number'
const SECONDS = 1000

describe('changes', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const tokenOfCopy = async (query = '') =>
    (await service.send(`${LIST}?snapshot=true${query}`)).body.nextChangesToken as string
  const now = async () => (await service.send(`${CHANGES}?since=now`)).body.nextChangesToken
  const refusal = async (path: string, token?: string) => {
    const { status, body } = await service.send(path, token === undefined ? {} : { token })
    return [status, body.errorName, body.parameters?.reason ?? body.parameters?.parameter]
  }

  it('follow the last page of a snapshot walk, and only that', async () => {
    const first = await service.send(`${LIST}?snapshot=true&pageSize=2`)
    expect(first.body.nextChangesToken).toBeUndefined()
    const token = first.body.nextPageToken
    const last = await service.send(`${LIST}?snapshot=true&pageSize=2&pageToken=${token}`)
    expect(last.body.nextChangesToken).toMatch(/^v1\./)
    const plain = await service.send(LIST)
    expect(plain.body.nextChangesToken).toBeUndefined()
  })

  it('are those after the snapshot, however long its walk took', async () => {
    const first = await service.send(`${LIST}?snapshot=true&pageSize=2`)
    await service.write('numbers', 'number', [{ put: { n: 0, text: 'changed' } }])
    const token = first.body.nextPageToken
    const last = await service.send(`${LIST}?snapshot=true&pageSize=2&pageToken=${token}`)
    const { body } = await service.send(`${CHANGES}?since=${last.body.nextChangesToken}`)
    expect(body.data).toEqual([
      { put: { rid: expect.any(String), properties: { n: 0, text: 'changed' } } },
    ])
    const later = await service.send(`${CHANGES}?since=${body.nextChangesToken}`)
    expect(later.body).toEqual({ data: [], nextChangesToken: expect.any(String) })
  })

  it('have the records and the keys of their revision', async () => {
    const { body } = await service.send(`${CHANGES_V2}?since=now&select=n`)
    await service.write('numbers', 'number', [{ put: { n: 1, text: 'again' } }, { delete: 2 }])
    const since = body.nextChangesToken
    const changes = await service.send(`${CHANGES_V2}?since=${since}&select=n`)
    expect(changes.body.data).toEqual([
      {
        put: {
          __rid: expect.any(String),
          __primaryKey: 1,
          __apiName: 'number',
          n: 1,
        },
      },
      { delete: { primaryKey: 2 } },
    ])
  })

  it('reject tokens of another request, of another caller, and of pages', async () => {
    const since = await now()
    const other = await service.createToken()
    const page = (await service.send(`${LIST}?pageSize=1`)).body.nextPageToken
    const refused = (reason: string) => [400, 'InvalidPageToken', reason]
    expect(await refusal(`${CHANGES}?since=${since}`, other)).toEqual(refused('other caller'))
    for (const path of [
      `${CHANGES}?since=${since}&properties.n.gt=1`,
      `${CHANGES}?since=${since}&properties=n`,
      `${CHANGES_V2}?since=${since}`,
      `${CHANGES}?since=${page}`,
      `${LIST}?pageToken=${since}`,
      `${CHANGES}?since=now&pageToken=${since}`,
    ]) {
      expect(await refusal(path), path).toEqual(refused('other request'))
    }
    const forged = `${since.slice(0, -4)}AAAA`
    expect(await refusal(`${CHANGES}?since=${forged}`)).toEqual(refused('malformed'))
    expect(await refusal(CHANGES)).toEqual([400, 'Default:InvalidArgument', 'is missing'])
    expect((await refusal(`${CHANGES}?since=yesterday`))[0]).toBe(400)
  })

  it('accept the token of a walk in any order', async () => {
    const since = await tokenOfCopy('&orderBy=properties.text:desc')
    const { status, body } = await service.send(`${CHANGES}?since=${since}`)
    expect([status, body.data]).toEqual([200, []])
  })

  it('are those after the version that a page showed', async () => {
    const page = await service.send(LIST)
    const version = page.headers.get('oqs-version')
    const none = await service.send(`${CHANGES}?since=${version}`)
    expect(none.body).toEqual({ data: [], nextChangesToken: expect.any(String) })
    await service.write('numbers', 'number', [{ put: { n: 0, text: 'later' } }])
    const { body } = await service.send(`${CHANGES}?since=${version}&properties.text.eq=later`)
    expect(body.data).toEqual([
      { put: { rid: expect.any(String), properties: { n: 0, text: 'later' } } },
    ])
    // The page token and the changes token of the answer are like those of any other.
    const filter = 'properties.text.eq=later'
    const later = await service.send(`${CHANGES}?since=${body.nextChangesToken}&${filter}`)
    expect(later.body.data).toEqual([])
    expect(await refusal(`${CHANGES}?since=${Number(version) + 2}`)).toEqual([
      404,
      'VersionNotFound',
      undefined,
    ])
  })

  it('end with the history', async () => {
    await using other = await startService({ settings: { OQS_CHANGES_MAX_AGE_SECONDS: '100' } })
    await other.apply(NUMBERS)
    const { body } = await other.send(`${CHANGES}?since=now`)
    const path = `${CHANGES}?since=${body.nextChangesToken}`
    await other.put('numbers', 'number', numbers(1))
    other.clock.now += 99 * SECONDS
    expect((await other.send(path)).body.data).toHaveLength(1)
    other.clock.now += 2 * SECONDS
    expect((await other.send(path)).body.parameters.reason).toBe('expired')
  })

  it('are refused once their versions are reclaimed', async () => {
    await using other = await startService()
    await other.apply(NUMBERS)
    await other.put('numbers', 'number', numbers(1))
    const { body } = await other.send(`${CHANGES}?since=now`)
    await other.put('numbers', 'number', numbers(2))
    const lives = { snapshotMaxAgeSeconds: 1, pageTokenTtlSeconds: 1 }
    for (const now of [0, 100_000, 200_000])
      await other.store.reclaim(retentionOf(lives, () => now))
    const refused = await other.send(`${CHANGES}?since=${body.nextChangesToken}`)
    expect(refused.body.parameters.reason).toBe('reclaimed')
    expect((await other.send(`${CHANGES}?since=1`)).body.parameters.reason).toBe('reclaimed')
  })

  it('continue over a changed definition, unless a filter depends on it', async () => {
    await using other = await startService()
    await other.apply(NUMBERS)
    await other.put('numbers', 'number', numbers(2))
    const all = (await other.send(`${CHANGES}?since=now`)).body.nextChangesToken
    const filter = '&properties.text.eq=two'
    const some = (await other.send(`${CHANGES}?since=now${filter}`)).body.nextChangesToken
    const version = (await other.send(LIST)).headers.get('oqs-version')
    const [type] = NUMBERS.objectTypes ?? []
    const properties = { ...type?.properties, text: { type: 'integer' as const } }
    const changed = { ...NUMBERS, objectTypes: [{ ...type, properties }] } as typeof NUMBERS
    await other.write('numbers', 'number', [
      { put: { n: 0, text: '7' } },
      { put: { n: 1, text: '8' } },
    ])
    expect((await other.apply(changed)).status).toBe(200)
    const { body } = await other.send(`${CHANGES}?since=${all}`)
    expect(body.data.map((one: { put: { properties: object } }) => one.put.properties)).toEqual([
      { n: 0, text: 7 },
      { n: 1, text: 8 },
    ])
    const refused = await other.send(`${CHANGES}?since=${some}${filter}`)
    expect(refused.status).toBe(400)
    const ofVersion = await other.send(`${CHANGES}?since=${version}&properties.text.eq=7`)
    expect(ofVersion.body.parameters.reason).toBe('redefined')
  })
})
