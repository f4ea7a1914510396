/** Actions through the official packages, unmodified. */
import { type Client, createClient, createPlatformClient, type PlatformClient } from '@osdk/client'
import { Actions, ActionTypesV2 } from '@osdk/foundry.ontologies'
import { Actions as ActionsV1, ActionTypes } from '@osdk/internal.foundry.ontologies'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

type ApplyAction = (
  parameters: object | readonly object[],
  options?: { readonly $returnEdits?: true; readonly $validateOnly?: true },
) => Promise<unknown>

describe('actions through the official packages', () => {
  let service: Service
  let rid: string
  let client: Client
  let platform: PlatformClient
  beforeAll(async () => {
    service = await startService()
    rid = (await service.apply(AVIATION)).body.rid
    client = createClient(service.url, rid, async () => ADMIN_TOKEN)
    platform = createPlatformClient(service.url, async () => ADMIN_TOKEN)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** What generated code would have typed. */
  const action = (apiName: string) => {
    const definition = { type: 'action', apiName } as const
    const caller = client as unknown as (one: typeof definition) => {
      readonly applyAction: ApplyAction
      readonly batchApplyAction: ApplyAction
    }
    return caller(definition)
  }
  const get = async (id: string) =>
    (await service.send(`/api/v1/ontologies/aviation/objects/airport/${id}`)).body.properties

  it('are applied, with and without edits', async () => {
    const create = action('create-airport').applyAction
    const location = { type: 'Point', coordinates: [8.56, 47.45] }
    await expect(create({ id: 'ZRH', name: 'Zurich', location })).resolves.toBeUndefined()
    expect(await get('ZRH')).toEqual({ id: 'ZRH', name: 'Zurich', location })
    const edits = await action('modify-airport').applyAction(
      { objectToModifyParameter: { $primaryKey: 'ZRH', $apiName: 'airport' }, elevation: 1416 },
      { $returnEdits: true },
    )
    expect(edits).toMatchObject({
      type: 'edits',
      modifiedObjects: [{ objectType: 'airport', primaryKey: 'ZRH' }],
      editedObjectTypes: ['airport'],
    })
    const deleted = await action('delete-airport').applyAction(
      { objectToDeleteParameter: 'ZRH' },
      { $returnEdits: true },
    )
    expect(deleted).toMatchObject({
      deletedObjects: [{ objectType: 'airport', primaryKey: 'ZRH' }],
      deletedObjectsCount: 1,
    })
    expect(await get('ZRH')).toBeUndefined()
  })

  it('are validated only, or refused with the reason', async () => {
    const create = action('create-airport').applyAction
    expect(await create({ id: 'V1' }, { $validateOnly: true })).toMatchObject({ result: 'VALID' })
    expect(await get('V1')).toBeUndefined()
    expect(await create({}, { $validateOnly: true })).toMatchObject({ result: 'INVALID' })
    await expect(create({})).rejects.toMatchObject({ validation: { result: 'INVALID' } })
    await create({ id: 'V2' })
    await expect(create({ id: 'V2' })).rejects.toMatchObject({ errorName: 'ObjectAlreadyExists' })
    await expect(create({ id: 'V3', elevation: 'high' })).rejects.toMatchObject({
      errorName: 'InvalidParameterValue',
      parameters: { parameterId: 'elevation' },
    })
    await expect(action('create-port').applyAction({})).rejects.toMatchObject({
      errorName: 'ActionTypeNotFound',
    })
  })

  it('are applied in batches, all or none', async () => {
    const { batchApplyAction } = action('create-airport')
    const edits = await batchApplyAction([{ id: 'B1' }, { id: 'B2' }], { $returnEdits: true })
    expect(edits).toMatchObject({
      addedObjects: [
        { objectType: 'airport', primaryKey: 'B1' },
        { objectType: 'airport', primaryKey: 'B2' },
      ],
    })
    await expect(batchApplyAction([{ id: 'B3' }, { id: 'B2' }])).rejects.toMatchObject({
      errorName: 'ObjectAlreadyExists',
    })
    expect(await get('B3')).toBeUndefined()
  })

  it('are described by the metadata of the client', async () => {
    const definition = { type: 'action', apiName: 'modify-airport' } as const
    const metadata = await client.fetchMetadata(definition)
    expect(metadata).toMatchObject({
      type: 'action',
      apiName: 'modify-airport',
      status: 'ACTIVE',
      modifiedEntities: { airport: { modified: true } },
    })
    expect(metadata.parameters).toMatchObject({
      objectToModifyParameter: { type: { type: 'object', object: 'airport' }, nullable: false },
      aliases: { multiplicity: true, type: 'string', nullable: true },
    })
  })

  it('work with the functions of v2', async () => {
    const { data } = await ActionTypesV2.list(platform, rid, { pageSize: 2 })
    expect(data.map(({ apiName }) => apiName)).toEqual(['create-airport', 'create-country'])
    const [first] = data
    const byRid = await ActionTypesV2.getByRid(platform, rid, first?.rid ?? '')
    expect(byRid).toEqual(first)
    const batch = await ActionTypesV2.getByRidBatch(platform, rid, {
      requests: [{ actionTypeRid: first?.rid ?? '' }],
    })
    expect(batch.data).toEqual([first])
    const applied = await Actions.apply(platform, rid, 'create-country', {
      parameters: { code: 'CH' },
    })
    expect(applied.validation?.result).toBe('VALID')
    expect(applied.edits).toBeUndefined()
  })

  it('work with the functions of v1', async () => {
    const { data } = await ActionTypes.list(platform, rid, { pageSize: 3 })
    expect(data).toHaveLength(3)
    const type = await ActionTypes.get(platform, rid, 'delete-country')
    expect(type.operations).toEqual([{ type: 'deleteObject', objectTypeApiName: 'country' }])
    await ActionsV1.apply(platform, rid, 'create-country', { parameters: { code: 'DE' } })
    await ActionsV1.applyBatch(platform, rid, 'modify-country', {
      requests: [{ parameters: { objectToModifyParameter: 'DE', name: 'Germany' } }],
    })
    const validation = await ActionsV1.validate(platform, rid, 'delete-country', {
      parameters: { objectToDeleteParameter: 'DE' },
    })
    expect(validation.result).toBe('VALID')
    await expect(
      ActionsV1.apply(platform, rid, 'create-country', { parameters: {} }),
    ).rejects.toMatchObject({ errorName: 'ActionValidationFailed' })
  })
})
