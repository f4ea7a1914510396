import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION } from '../support/ontologies.ts'
import { type SendOptions, type Service, startService } from '../support/service.ts'

const TYPES = '/api/v1/ontologies/aviation/actionTypes'
const V2_TYPES = '/api/v2/ontologies/aviation/actionTypes'

describe('actions', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const send = (version: 'v1' | 'v2', path: string, json: unknown, options: SendOptions = {}) =>
    service.send(`/api/${version}/ontologies/aviation/actions/${path}`, { json, ...options })
  const apply = (name: string, parameters: object, options?: object) =>
    send('v2', `${name}/apply`, { parameters, ...(options === undefined ? {} : { options }) })
  const get = async (id: string) =>
    (await service.send(`/api/v1/ontologies/aviation/objects/airport/${id}`)).body.properties
  const versionNow = async () =>
    (await service.write('aviation', 'airport', [{ delete: 'nobody' }])).body.version

  describe('of types that follow from the object types', () => {
    it('are listed in pages, in both versions', async () => {
      for (const path of [TYPES, V2_TYPES]) {
        const names: string[] = []
        for (let pageToken = ''; ; ) {
          const query = new URLSearchParams({ pageSize: '4', ...(pageToken && { pageToken }) })
          const { body, status } = await service.send(`${path}?${query}`)
          expect(status).toBe(200)
          names.push(...body.data.map(({ apiName }: { apiName: string }) => apiName))
          if (body.nextPageToken === undefined) break
          pageToken = body.nextPageToken
        }
        const kinds = ['create', 'delete', 'modify']
        expect(names).toEqual(kinds.flatMap((kind) => [`${kind}-airport`, `${kind}-country`]))
      }
    })

    it('are described with their parameters', async () => {
      const v1 = await service.send(`${TYPES}/modify-airport`)
      expect(v1.body).toMatchObject({
        apiName: 'modify-airport',
        status: 'ACTIVE',
        operations: [{ type: 'modifyObject', objectTypeApiName: 'airport' }],
        parameters: {
          objectToModifyParameter: { baseType: 'OntologyObject<airport>', required: true },
          elevation: { baseType: 'Integer', required: false },
        },
      })
      expect(v1.body.parameters).not.toHaveProperty('id')
      const v2 = await service.send(`${V2_TYPES}/create-airport`)
      expect(v2.body.parameters).toMatchObject({
        id: { dataType: { type: 'string' }, required: true, typeClasses: [] },
        location: { dataType: { type: 'geohash' }, required: false },
        names: { dataType: { type: 'array', subType: { type: 'struct' } } },
      })
    })

    it('are found by RID, which stays the same', async () => {
      const { body } = await service.send(`${V2_TYPES}/delete-country`)
      expect((await service.send(`${TYPES}/delete-country`)).body.rid).toBe(body.rid)
      expect((await service.send(`${V2_TYPES}/byRid/${body.rid}`)).body).toEqual(body)
      const requests = [{ actionTypeRid: 'ri.unknown' }, { actionTypeRid: body.rid }]
      const batch = await service.send(`${V2_TYPES}/getByRidBatch`, { json: { requests } })
      expect(batch.body).toEqual({ data: [body] })
      const unknown = await service.send(`${V2_TYPES}/byRid/ri.unknown`)
      expect(unknown.body).toMatchObject({
        errorName: 'ActionTypeNotFound',
        parameters: { rid: 'ri.unknown' },
      })
      const many = Array.from({ length: 101 }, () => ({ actionTypeRid: body.rid }))
      const refused = await service.send(`${V2_TYPES}/getByRidBatch`, { json: { requests: many } })
      expect(refused.body.errorName).toBe('BatchRequestSizeExceededLimit')
    })

    it('are not found by other names', async () => {
      for (const name of ['create-port', 'rename-airport', 'airport', 'create-']) {
        const answers = [
          await service.send(`${TYPES}/${name}`),
          await service.send(`${V2_TYPES}/${name}`),
          await send('v1', `${name}/apply`, { parameters: {} }),
          await send('v1', `${name}/validate`, { parameters: {} }),
          await send('v2', `${name}/apply`, { parameters: {} }),
        ]
        for (const { status, body } of answers) {
          expect(status).toBe(404)
          expect(body).toMatchObject({
            errorName: 'ActionTypeNotFound',
            parameters: { actionType: name },
          })
        }
      }
    })
  })

  it('create, modify and delete an object, each as one commit', async () => {
    const before = await versionNow()
    const all = { returnEdits: 'ALL_V2_WITH_DELETIONS' }
    const created = await apply(
      'create-airport',
      { id: 'LAX', name: 'Los Angeles', elevation: 38, location: '33.94,-118.4' },
      all,
    )
    expect(created.body).toMatchObject({
      validation: { result: 'VALID' },
      edits: {
        type: 'edits',
        edits: [{ type: 'addObject', objectType: 'airport', primaryKey: 'LAX' }],
        addedObjectCount: 1,
        modifiedObjectsCount: 0,
        deletedObjectsCount: 0,
      },
    })
    const location = { type: 'Point', coordinates: [-118.4, 33.94] }
    expect(await get('LAX')).toEqual({ id: 'LAX', name: 'Los Angeles', elevation: 38, location })
    const modified = await apply(
      'modify-airport',
      { objectToModifyParameter: 'LAX', name: 'L.A.', elevation: null },
      all,
    )
    expect(modified.body.edits).toMatchObject({
      edits: [{ type: 'modifyObject', objectType: 'airport', primaryKey: 'LAX' }],
      modifiedObjectsCount: 1,
    })
    expect(await get('LAX')).toEqual({ id: 'LAX', name: 'L.A.', location })
    const locator = { objectTypeApiName: 'airport', primaryKeyValue: 'LAX' }
    const deleted = await apply('delete-airport', { objectToDeleteParameter: locator }, all)
    expect(deleted.body.edits).toMatchObject({
      edits: [{ type: 'deleteObject', objectType: 'airport', primaryKey: 'LAX' }],
      deletedObjectsCount: 1,
    })
    expect(await get('LAX')).toBeUndefined()
    expect(await versionNow()).toBe(before + 3)
  })

  it('return only what is requested, and nothing in revision 1.0', async () => {
    const silent = await apply('create-airport', { id: 'SFO' })
    expect(Object.keys(silent.body)).toEqual(['validation'])
    const v1 = await send('v1', 'modify-airport/apply', {
      parameters: { objectToModifyParameter: 'SFO', name: 'San Francisco' },
    })
    expect([v1.status, v1.text]).toEqual([200, '{}'])
    const listed = await apply(
      'delete-airport',
      { objectToDeleteParameter: 'SFO' },
      { returnEdits: 'ALL' },
    )
    expect(listed.body.edits).toMatchObject({ edits: [], deletedObjectsCount: 1 })
  })

  it('are validated without a write', async () => {
    await service.put('aviation', 'airport', [{ id: 'ZRH', name: 'Zurich' }])
    const before = await versionNow()
    const cases: readonly [name: string, parameters: object, result: string][] = [
      ['create-airport', { id: 'NEW' }, 'VALID'],
      ['create-airport', { id: 'ZRH' }, 'INVALID'],
      ['create-airport', { name: 'No key' }, 'INVALID'],
      ['create-airport', { id: null }, 'INVALID'],
      ['modify-airport', { objectToModifyParameter: 'ZRH', name: 'x' }, 'VALID'],
      ['modify-airport', { objectToModifyParameter: 'NEW' }, 'INVALID'],
      ['modify-airport', {}, 'INVALID'],
      ['delete-airport', { objectToDeleteParameter: 'ZRH' }, 'VALID'],
      ['delete-airport', { objectToDeleteParameter: 'NEW' }, 'INVALID'],
    ]
    for (const [name, parameters, result] of cases) {
      const v1 = await send('v1', `${name}/validate`, { parameters })
      const v2 = await apply(name, parameters, { mode: 'VALIDATE_ONLY', returnEdits: 'ALL' })
      expect([name, parameters, v1.body.result]).toEqual([name, parameters, result])
      expect(v2.body).toEqual({ validation: v1.body })
    }
    const missing = await send('v1', 'delete-airport/validate', {})
    expect(missing.body.parameters.objectToDeleteParameter).toEqual({
      result: 'INVALID',
      evaluatedConstraints: [{ type: 'objectQueryResult' }],
      required: true,
    })
    expect(await versionNow()).toBe(before)
  })

  it('are refused by name, and write nothing', async () => {
    await service.put('aviation', 'airport', [{ id: 'ZRH', name: 'Zurich' }])
    const before = await versionNow()
    const refusals: readonly [
      name: string,
      parameters: object,
      status: number,
      errorName: string,
      details: object,
    ][] = [
      ['create-airport', { id: 'ZRH' }, 409, 'ObjectAlreadyExists', { primaryKey: 'ZRH' }],
      [
        'create-airport',
        { id: 'A', elevation: 'high' },
        400,
        INVALID,
        { parameterId: 'elevation' },
      ],
      ['create-airport', { id: 'A', location: 'north' }, 400, INVALID, { parameterId: 'location' }],
      ['create-airport', { id: 'A', aliases: ['a', 5] }, 400, INVALID, { path: 'aliases[1]' }],
      ['create-airport', { id: '' }, 400, INVALID, { parameterId: 'id' }],
      ['create-airport', { id: 'A', nope: 1 }, 400, 'ParametersNotFound', NOPE],
      ['modify-airport', { ...MODIFY_ZRH, id: 'A' }, 400, 'ParametersNotFound', {}],
      ['modify-airport', { ...MODIFY_ZRH, name: 5 }, 400, INVALID, { parameterId: 'name' }],
      ['modify-airport', { objectToModifyParameter: 'A' }, 404, NO_OBJECT, { primaryKey: 'A' }],
      ['modify-airport', { objectToModifyParameter: 5 }, 400, INVALID, { parameterValue: 5 }],
      ['delete-airport', { objectToDeleteParameter: 'A' }, 404, NO_OBJECT, { primaryKey: 'A' }],
      [
        'delete-airport',
        { objectToDeleteParameter: { objectTypeApiName: 'country', primaryKeyValue: 'ZRH' } },
        400,
        INVALID,
        { parameterId: 'objectToDeleteParameter' },
      ],
    ]
    for (const [name, parameters, status, errorName, details] of refusals) {
      for (const version of ['v1', 'v2'] as const) {
        const answer = await send(version, `${name}/apply`, { parameters })
        expect([name, parameters, answer.status]).toEqual([name, parameters, status])
        expect(answer.body).toMatchObject({ errorName, parameters: details })
      }
    }
    const v1 = await send('v1', 'create-airport/apply', { parameters: {} })
    expect(v1.status).toBe(400)
    expect(v1.body).toMatchObject({
      errorName: 'ActionValidationFailed',
      parameters: { actionType: 'create-airport', invalidParameterIds: ['id'] },
    })
    const v2 = await apply('create-airport', {})
    expect(v2.status).toBe(200)
    expect(v2.body).toMatchObject({
      validation: { result: 'INVALID', parameters: { id: { result: 'INVALID', required: true } } },
    })
    expect((await send('v2', 'create-airport/apply', { nope: 1 })).status).toBe(422)
    expect((await apply('create-airport', {}, { mode: 'LATER' })).status).toBe(422)
    expect(await versionNow()).toBe(before)
  })

  it('are applied in batches as one commit, or not at all', async () => {
    const before = await versionNow()
    const requests = ['B1', 'B2', 'B3'].map((id) => ({ parameters: { id } }))
    const created = await send('v2', 'create-airport/applyBatch', {
      requests,
      options: { returnEdits: 'ALL' },
    })
    expect(created.body.edits).toMatchObject({ addedObjectCount: 3 })
    expect(created.body.edits.edits).toHaveLength(3)
    expect(await versionNow()).toBe(before + 1)
    const v1 = await send('v1', 'modify-airport/applyBatch', {
      requests: [{ parameters: { objectToModifyParameter: 'B1', name: 'one' } }],
    })
    expect([v1.status, v1.text]).toEqual([200, '{}'])
    const mixed = (ids: readonly string[]) => ({
      requests: ids.map((id) => ({ parameters: { objectToDeleteParameter: id } })),
    })
    for (const version of ['v1', 'v2'] as const) {
      const batch = (json: object) => send(version, 'delete-airport/applyBatch', json)
      const errors: readonly [json: object, status: number, errorName: string][] = [
        [mixed(['B1', 'unknown', 'B2']), 404, NO_OBJECT],
        [mixed(['B1', 'B1']), 409, 'ActionContainsDuplicateEdits'],
        [mixed([]), 400, 'MissingBatchRequest'],
        [{ requests: null }, 400, 'MissingBatchRequest'],
        [mixed(Array.from({ length: 21 }, (_, at) => `${at}`)), 400, TOO_LARGE],
        [{ requests: [{}] }, 400, 'ActionValidationFailed'],
      ]
      for (const [json, status, errorName] of errors) {
        const answer = await batch(json)
        expect([answer.status, answer.body.errorName]).toEqual([status, errorName])
      }
    }
    expect(await get('B1')).toEqual({ id: 'B1', name: 'one' })
    expect((await send('v1', 'delete-airport/applyBatch', mixed(['B1', 'B2']))).status).toBe(200)
    expect(await get('B1')).toBeUndefined()
  })

  it('need both scopes to be applied, and one to be validated', async () => {
    const reader = await service.createToken({ scopes: ['api:ontologies-read'] })
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    const both = await service.createToken({
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
    })
    const stranger = await service.createToken({
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
      ontologies: ['other'],
    })
    const json = { parameters: { id: 'S1' } }
    for (const version of ['v1', 'v2'] as const) {
      for (const token of [reader, writer]) {
        const answer = await send(version, 'create-airport/apply', json, { token })
        expect([answer.status, answer.body.errorName]).toEqual([403, 'ApiUsageDenied'])
      }
      expect((await send(version, 'create-airport/apply', json, { token: null })).status).toBe(401)
      const hidden = await send(version, 'create-airport/apply', json, { token: stranger })
      expect(hidden.body.errorName).toBe('OntologyNotFound')
    }
    expect((await send('v1', 'create-airport/validate', json, { token: reader })).status).toBe(200)
    expect((await send('v1', 'create-airport/apply', json, { token: both })).status).toBe(200)
  })

  it('modify different properties concurrently without a lost update', async () => {
    await service.put('aviation', 'airport', [{ id: 'CON' }])
    const changes = [{ name: 'n' }, { elevation: 1 }, { passengers: '5' }, { aliases: ['a'] }]
    const answers = await Promise.all(
      changes.map((change) =>
        apply('modify-airport', { objectToModifyParameter: 'CON', ...change }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await get('CON')).toEqual(Object.assign({ id: 'CON' }, ...changes))
  })
})

const INVALID = 'InvalidParameterValue'
const NO_OBJECT = 'ActionParameterObjectNotFound'
const TOO_LARGE = 'BatchRequestSizeExceededLimit'
const NOPE = { unknownParameterIds: ['nope'] }
const MODIFY_ZRH = { objectToModifyParameter: 'ZRH' }
