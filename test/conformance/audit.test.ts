import { readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { retentionOf } from '../../src/server/maintenance.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const OBJECTS = '/api/admin/v1/ontologies/numbers/objects/number'
const LISTING = '/api/v1/ontologies/numbers/objects/number'
const AUDIT = '/api/admin/v1/audit'

interface Listed {
  readonly id: string
  readonly operation: string
  readonly requestId: string
  readonly [member: string]: unknown
}

let service: Service
let folder: TempFolder
let file: string
beforeAll(async () => {
  folder = tempFolder()
  file = join(folder.path, 'audit.ndjson')
  service = await startService({
    settings: { OQS_AUDIT: 'all', OQS_AUDIT_FILE: file, OQS_TRUSTED_PROXIES: '127.0.0.1' },
  })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(3))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function list(parameters = ''): Promise<readonly Listed[]> {
  const { status, body } = await service.send(`${AUDIT}?pageSize=500&${parameters}`)
  expect(status).toBe(200)
  return body.data
}

/** Returns the record of the last request with an operation. */
async function lastOf(operation: string): Promise<Listed | undefined> {
  return (await list(`operation=${operation}`))[0]
}

describe('the audit log', () => {
  it('records who wrote which keys, when and from where, but no values', async () => {
    const token = await service.createToken({ scopes: ['api:ontologies-write'], name: 'importer' })
    await service.send(OBJECTS, {
      token,
      headers: { 'content-type': 'application/x-ndjson', 'x-forwarded-for': '192.0.2.7' },
      body: [
        JSON.stringify({ put: { n: 7, text: 'a secret value' } }),
        JSON.stringify({ delete: 2 }),
        JSON.stringify({ delete: 999 }),
      ].join('\n'),
    })
    const record = await lastOf('writeObjects')
    expect(record).toMatchObject({
      kind: 'write',
      caller: { name: 'importer', id: expect.any(String), tokenId: expect.any(String) },
      address: '192.0.2.7',
      ontology: 'numbers',
      objectTypes: ['number'],
      outcome: 'success',
      put: 1,
      deleted: 1,
      moreKeys: 0,
      version: 2,
      time: new Date(service.clock.now).toISOString(),
    })
    expect(new Set(record?.['keys'] as string[])).toEqual(new Set(['2', '7']))
    expect(JSON.stringify(await list())).not.toContain('secret value')
  })

  it('keeps 100 keys of a large batch, and counts the others', async () => {
    await service.put('numbers', 'number', numbers(2500, 10_000))
    const record = await lastOf('writeObjects')
    expect(record).toMatchObject({ put: 2500, moreKeys: 2400 })
    expect(record?.['keys']).toHaveLength(100)
    await service.send(`${OBJECTS}/deleteByQuery`, {
      json: { query: { type: 'gte', field: 'properties.n', value: 10_000 } },
    })
    const deletion = await lastOf('deleteByQuery')
    expect(deletion).toMatchObject({ put: 0, deleted: 2500, moreKeys: 2400 })
    expect(deletion?.['keys']).toEqual(record?.['keys'])
  })

  it('records single objects, actions, replacements, definitions and tokens', async () => {
    await service.send(`${OBJECTS}/8`, { method: 'PUT', json: { n: 8 } })
    expect(await lastOf('putObject')).toMatchObject({ put: 1, keys: ['8'], moreKeys: 0 })
    await service.send('/api/v2/ontologies/numbers/actions/delete-number/apply', {
      json: { parameters: { objectToDeleteParameter: 8 } },
    })
    expect(await lastOf('applyActionV2')).toMatchObject({ objectTypes: ['number'], keys: ['8'] })

    const { body } = await service.send(`${OBJECTS}/replacements`, { method: 'POST' })
    await service.send(`${OBJECTS}/replacements/${body.replacement}/publish`, { method: 'POST' })
    expect(await lastOf('startReplacement')).toMatchObject({ outcome: 'success', kind: 'write' })
    expect(await lastOf('publishReplacement')).toMatchObject({ put: 0, outcome: 'success' })

    await service.apply(NUMBERS)
    expect(await lastOf('applyOntology')).toMatchObject({ ontology: 'numbers', kind: 'write' })
    const created = await service.send('/api/admin/v1/tokens', { json: { name: 'new' } })
    expect(await lastOf('createApiToken')).toMatchObject({ keys: [created.body.id] })
    expect(JSON.stringify(await list())).not.toContain(created.body.token)
  })

  it('records a repeated request, a dry run and a rejected write as what they are', async () => {
    const write = { method: 'PUT', json: { n: 9 }, headers: { 'idempotency-key': 'k-1' } }
    await service.send(`${OBJECTS}/9`, write)
    await service.send(`${OBJECTS}/9`, write)
    const [repeated, first] = await list('operation=putObject')
    expect(first).toMatchObject({ keys: ['9'] })
    expect(repeated).toMatchObject({ outcome: 'success' })
    expect(repeated).not.toHaveProperty('keys')

    await service.send(`${OBJECTS}?dryRun=true`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ put: { n: 55 } }),
    })
    expect(await lastOf('writeObjects')).toMatchObject({ dryRun: true, put: 0, keys: [] })

    await service.send(`${OBJECTS}/9`, { ...write, headers: { 'if-none-match': '*' } })
    expect(await lastOf('putObject')).toMatchObject({
      outcome: 'failure',
      errorName: 'PreconditionFailed',
    })
  })

  it('records reads with the number of objects', async () => {
    await service.put('numbers', 'number', numbers(25))
    await service.send(`${LISTING}?pageSize=10`)
    expect(await lastOf('listObjects')).toMatchObject({
      kind: 'read',
      objects: 10,
      objectTypes: ['number'],
    })
    await service.send(`${OBJECTS}/export`)
    expect(await lastOf('exportObjects')).toMatchObject({ objects: 25 })
    await service.send(`${LISTING}/3`)
    expect(await lastOf('getObject')).toMatchObject({ objects: 1 })
    await service.send(LISTING, { token: 'unknown-token' })
    const refused = await lastOf('listObjects')
    expect(refused).toMatchObject({ outcome: 'failure', errorName: 'Default:Unauthorized' })
    expect(refused).not.toHaveProperty('caller')
  })

  it('names the type of a download, although the path does not', async () => {
    const downloads = '/api/admin/v1/downloads'
    const names = { ontology: 'numbers', objectTypes: ['number'] }
    const { body } = await service.send(downloads, {
      json: { ontology: 'numbers', objectType: 'number' },
    })
    await service.send(body.path, { token: null })
    expect(await list('operation=createDownload&ontology=numbers')).toMatchObject([names])
    expect(await list('operation=download&ontology=numbers')).toMatchObject([
      { ...names, kind: 'read', objects: 25, outcome: 'success', caller: { name: 'admin' } },
    ])
    await service.send(downloads, { json: { ontology: 'numbers', objectType: 'made-up' } })
    const refused = await lastOf('createDownload')
    expect(refused).toMatchObject({ ontology: 'numbers', errorName: 'ObjectTypeNotFound' })
    expect(refused).not.toHaveProperty('objectTypes')
  })

  it('names the types of links and counts', async () => {
    await service.apply(AVIATION)
    await service.put('aviation', 'country', [{ code: 'CH' }, { code: 'DE' }])
    const airports = ['A', 'B', 'C'].map((id) => ({ id, countryCode: 'CH' }))
    await service.put('aviation', 'airport', airports)
    await service.send('/api/v2/ontologies/aviation/objectSets/loadLinks', {
      json: { objectSet: { type: 'base', objectType: 'country' }, links: ['airports'] },
    })
    expect(await lastOf('loadLinks')).toMatchObject({
      ontology: 'aviation',
      objectTypes: ['country', 'airport'],
      objects: 5,
    })
    await service.send('/api/v2/ontologies/aviation/objects/airport/count', { method: 'POST' })
    expect(await lastOf('countObjects')).toMatchObject({ objectTypes: ['airport'], objects: 0 })
    await service.send('/api/admin/v1/ontologies/aviation/counts')
    expect(await lastOf('getObjectCounts')).toMatchObject({ ontology: 'aviation', objects: 0 })
  })

  it('names policies that were saved and deleted', async () => {
    const path = '/api/admin/v1/policies/readers'
    await service.send(path, { method: 'PUT', json: { rights: [] } })
    expect(await lastOf('savePolicy')).toMatchObject({ outcome: 'success', keys: ['readers'] })
    await service.send(path, { method: 'DELETE' })
    expect(await lastOf('deletePolicy')).toMatchObject({ outcome: 'success', keys: ['readers'] })
  })

  it('names an ontology that policies hide from the caller', async () => {
    await service.send('/api/admin/v1/policies/nothing', { method: 'PUT', json: { rights: [] } })
    const scopes = ['api:ontologies-read'] as const
    const token = await service.createToken({ scopes, name: 'nobody', policies: ['nothing'] })
    expect((await service.send(LISTING, { token })).status).toBe(404)
    expect(await lastOf('listObjects')).toMatchObject({
      caller: { name: 'nobody' },
      ontology: 'numbers',
      errorName: 'OntologyNotFound',
    })
  })

  it('says what a changed definition dropped, and how many objects were deleted', async () => {
    const shop = {
      apiName: 'shop',
      objectTypes: ['order', 'customer', 'note'].map((apiName) => ({
        apiName,
        primaryKey: 'id',
        properties: {
          id: { type: 'string' as const },
          text: { type: 'string' as const },
          customerId: { type: 'string' as const },
        },
      })),
      linkTypes: [{ apiName: 'buyer', from: 'order', to: 'customer', foreignKey: 'customerId' }],
    }
    const path = '/api/admin/v1/ontologies/shop'
    await service.apply(shop)
    await service.put('shop', 'order', [{ id: 'a' }, { id: 'b' }])
    await service.put('shop', 'customer', [{ id: 'c' }])
    await service.put('shop', 'note', [{ id: 'd' }, { id: 'e' }, { id: 'f' }])
    const added = await lastOf('applyOntology')
    expect(added).not.toHaveProperty('dropped')

    const [order, customer] = shop.objectTypes
    const { text: _, ...properties } = order?.properties ?? {}
    const changed = { ...shop, objectTypes: [{ ...order, properties }, customer], linkTypes: [] }
    const response = await service.send(`${path}?allowDataLoss=true`, {
      method: 'PUT',
      json: changed,
    })
    expect(response.status).toBe(200)
    expect(await lastOf('applyOntology')).toMatchObject({
      deleted: 3,
      dropped: ['note', 'order.text', 'link order.buyer'],
      moreDropped: 0,
    })
    await service.send(`${path}/objectTypes/order`, { method: 'DELETE' })
    expect(await lastOf('deleteObjectType')).toMatchObject({ deleted: 2, dropped: ['order'] })
    await service.send(`${path}?cascade=true`, { method: 'DELETE' })
    const deletion = await lastOf('deleteOntology')
    expect(deletion).toMatchObject({ deleted: 1, dropped: ['customer'] })
    const lines = () =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    const inFile = () => lines().find(({ requestId }) => requestId === deletion?.requestId)
    await expect.poll(inFile).toMatchObject({ deleted: 1, dropped: ['customer'] })
  })

  it('is read in pages, and by time, caller and ontology', async () => {
    const all = await list()
    expect(all.length).toBeGreaterThan(10)
    const filter = 'ontology=numbers&caller=admin'
    const expected = (await list(filter)).map(({ id }) => id)
    const walked: string[] = []
    let token: string | undefined
    do {
      const page: string = token === undefined ? '' : `&pageToken=${encodeURIComponent(token)}`
      const { body } = await service.send(`${AUDIT}?pageSize=4&${filter}${page}`)
      walked.push(...body.data.map(({ id }: Listed) => id))
      token = body.nextPageToken
    } while (token !== undefined)
    expect(walked).toEqual(expected)
    expect(new Set(walked).size).toBe(walked.length)

    const { body } = await service.send(`${AUDIT}?pageSize=1&${filter}`)
    const other = `${AUDIT}?caller=admin&pageToken=${encodeURIComponent(body.nextPageToken)}`
    expect((await service.send(other)).body.errorName).toBe('InvalidPageToken')
    expect(await list(`until=${new Date(0).toISOString()}`)).toEqual([])
    expect((await service.send(`${AUDIT}?since=yesterday`)).status).toBe(400)
  })

  it('is open to its own scope only, and not to limited tokens', async () => {
    const admin = await service.createToken({ scopes: ['api:admin'] })
    expect((await service.send(AUDIT, { token: admin })).status).toBe(403)
    const limited = await service.createToken({
      scopes: ['api:audit-read'],
      ontologies: ['numbers'],
    })
    expect((await service.send(AUDIT, { token: limited })).status).toBe(403)
    const auditor = await service.createToken({ scopes: ['api:audit-read'] })
    expect((await service.send(AUDIT, { token: auditor })).status).toBe(200)
  })

  it('has the same records in its file, which only the owner can read and which can be renamed', async () => {
    const idsIn = (path: string) =>
      readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).requestId as string)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const listed = (await list()).map(({ requestId }) => requestId)
    await expect.poll(() => idsIn(file)).toEqual(expect.arrayContaining([...listed]))
    renameSync(file, `${file}.1`)
    await service.send(`${OBJECTS}/77`, { method: 'PUT', json: { n: 77 } })
    const { requestId } = (await lastOf('putObject')) ?? { requestId: '' }
    await expect.poll(() => idsIn(file)).toContain(requestId)
  })

  it('loses records after their retention, and only then', async () => {
    const day = 24 * 3_600_000
    const startedAt = service.clock.now
    const lifetimes = { snapshotMaxAgeSeconds: 60, pageTokenTtlSeconds: 60, auditRetentionDays: 2 }
    const reclaim = () => service.store.reclaim(retentionOf(lifetimes, () => service.clock.now))
    service.clock.now = startedAt + day
    await service.send(LISTING)
    const before = await list()
    await reclaim()
    expect((await list()).length).toBeGreaterThanOrEqual(before.length)
    service.clock.now = startedAt + 2 * day + 1
    await reclaim()
    const kept = await list(`until=${new Date(startedAt + 2 * day).toISOString()}`)
    expect(kept.map(({ time }) => Date.parse(String(time)))).toEqual(
      kept.map(() => startedAt + day),
    )
    expect(kept.length).toBeGreaterThan(0)
  })
})
