/** Saved views: who sees them, who changes them, and when they end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWN_VIEWS_MAX, SAVED_VIEW_MAX_BYTES } from '../../src/contract/saved-view.ts'
import { NUMBERS } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type SendOptions, type Service, startService } from '../support/service.ts'

const VIEWS = '/api/admin/v1/ontologies/numbers/views'
const VIEW = { name: 'Small', address: '/number?w=n:lt:10&o=n:desc' }

describe('saved views', () => {
  let service: Service
  let ada: string
  let bob: string
  beforeAll(async () => {
    service = await startService({ settings: { OQS_AUDIT: 'all' } })
    await service.apply(NUMBERS)
    ada = await service.createToken({ name: 'ada' })
    bob = await service.createToken({ name: 'bob' })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const send = (token: string, path = '', options: SendOptions = {}) =>
    service.send(VIEWS + path, { token, ...options })
  const save = async (token: string, body: object = VIEW) =>
    (await send(token, '', { json: body })).body
  const put = (token: string, id: string, body: object = VIEW, headers = {}) =>
    send(token, `/${id}`, { method: 'PUT', json: body, headers })
  const remove = (token: string, id: string) => send(token, `/${id}`, { method: 'DELETE' })
  const idsOf = async (token: string, path = '') =>
    (await send(token, path)).body.data.map(({ id }: { id: string }) => id)

  it('are returned as they were saved, with owner and time', async () => {
    const tiles = [{ title: 'By size', search: 'view=pictures&p=n', width: 2 }]
    const saved = await save(ada, { ...VIEW, description: 'Below ten', tiles })
    expect(saved).toEqual({
      ...VIEW,
      id: expect.any(String),
      description: 'Below ten',
      tiles,
      shared: false,
      owner: 'ada',
      mayChange: true,
      changedAt: new Date(service.clock.now).toISOString(),
    })
    expect((await send(ada, `/${saved.id}`)).body).toEqual(saved)
    expect((await send(ada)).body.data).toEqual([saved])
    await remove(ada, saved.id)
  })

  it('do not exist for others unless they are shared', async () => {
    const { id } = await save(ada)
    const refused = [await send(bob, `/${id}`), await put(bob, id), await remove(bob, id)]
    const unknown = await send(bob, '/none')
    for (const { status, body } of refused) {
      expect([status, body.errorName, body.parameters]).toEqual([
        404,
        'SavedViewNotFound',
        { view: id },
      ])
      expect(Object.keys(body)).toEqual(Object.keys(unknown.body))
    }
    expect(await idsOf(bob)).toEqual([])
    expect(await idsOf(bob, '?all=true')).toEqual([])
    await put(ada, id, { ...VIEW, shared: true })
    expect(await idsOf(bob)).toEqual([id])
    expect((await send(bob, `/${id}`)).body).toMatchObject({ owner: 'ada', mayChange: false })
    for (const { status, body } of [await put(bob, id), await remove(bob, id)]) {
      expect([status, body.errorName]).toEqual([403, 'ApiUsageDenied'])
    }
    await remove(ada, id)
    expect((await send(ada, `/${id}`)).status).toBe(404)
  })

  it('belong to the name of a token, so that its successor has them', async () => {
    const { id } = await save(ada)
    const successor = await service.createToken({ name: 'ada' })
    expect(await idsOf(successor)).toEqual([id])
    expect((await remove(successor, id)).status).toBe(200)
  })

  it('are managed by administrators, and keep their owner', async () => {
    const { id } = await save(ada)
    expect(await idsOf(ADMIN_TOKEN)).toEqual([])
    expect(await idsOf(ADMIN_TOKEN, '?all=true')).toEqual([id])
    expect((await put(ADMIN_TOKEN, id, { ...VIEW, name: 'Few' })).body).toMatchObject({
      name: 'Few',
      owner: 'ada',
    })
    const limited = await service.createToken({
      name: 'limited',
      scopes: ['api:admin', 'api:ontologies-read'],
      ontologies: ['numbers'],
    })
    expect((await send(limited, `/${id}`)).status).toBe(404)
    expect((await remove(ADMIN_TOKEN, id)).status).toBe(200)
  })

  it('are hidden with their ontology and their object type', async () => {
    const { id } = await save(ada, { ...VIEW, shared: true })
    const other = await service.createToken({ name: 'other', ontologies: ['elsewhere'] })
    expect((await send(other)).body.errorName).toBe('OntologyNotFound')
    const policy = { rights: [{ ontology: 'numbers', objectType: 'word', access: 'read' }] }
    const types = [
      ...NUMBERS.objectTypes,
      { apiName: 'word', primaryKey: 'id', properties: { id: { type: 'string' as const } } },
    ]
    await service.apply({ ...NUMBERS, objectTypes: types })
    await service.send('/api/admin/v1/policies/words', { method: 'PUT', json: policy })
    const words = await service.createToken({ name: 'words', policies: ['words'] })
    expect(await idsOf(words)).toEqual([])
    expect((await send(words, `/${id}`)).status).toBe(404)
    const refused = await send(words, '', { json: VIEW })
    expect([refused.status, refused.body.errorName]).toEqual([404, 'ObjectTypeNotFound'])
    await remove(ada, id)
  })

  it('are addresses of an object type, and nothing else', async () => {
    const addresses = ['', 'number', 'https://other/number', '//other/number', '/number#token']
    for (const address of [...addresses, '/number?q=a b', '/number/1/link/more', '/none']) {
      const { status } = await send(ada, '', { json: { ...VIEW, address } })
      expect([address, status]).toEqual([address, address === '/none' ? 404 : 422])
    }
    for (const body of [{ name: ' ' }, { tiles: [] }, { owner: 'bob' }, { id: 'mine' }]) {
      expect((await send(ada, '', { json: { ...VIEW, ...body } })).status).toBe(422)
    }
    const long = 'x'.repeat(SAVED_VIEW_MAX_BYTES)
    expect((await send(ada, '', { json: { ...VIEW, description: long } })).status).toBe(413)
    expect(await idsOf(ada)).toEqual([])
  })

  it('are replaced only in the state that a request expects', async () => {
    const { id } = await save(ada)
    const etag = (await send(ada, `/${id}`)).headers.get('etag') ?? ''
    const first = await put(ada, id, { ...VIEW, name: 'A' }, { 'if-match': etag })
    expect(first.status).toBe(200)
    const stale = await put(ada, id, { ...VIEW, name: 'B' }, { 'if-match': etag })
    expect([stale.status, stale.body.errorName]).toEqual([412, 'PreconditionFailed'])
    const next = first.headers.get('etag') ?? ''
    expect((await put(ada, id, { ...VIEW, name: 'B' }, { 'if-match': next })).status).toBe(200)
    await remove(ada, id)
  })

  it('are saved once for an idempotency key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await send(ada, '', { json: VIEW, headers })
    const again = await send(ada, '', { json: VIEW, headers })
    expect(again.body).toEqual(first.body)
    expect(await idsOf(ada)).toEqual([first.body.id])
    await remove(ada, first.body.id)
  })

  it('are not for holders of a read-only link, who cannot end it either', async () => {
    const policy = { rights: [{ ontology: 'numbers', objectType: 'number', access: 'read' }] }
    await service.send('/api/admin/v1/policies/link%20x', { method: 'PUT', json: policy })
    const link = await service.createToken({ name: 'Link by ada: x', policies: ['link x'] })
    const { id } = await save(ada, { ...VIEW, shared: true })
    const end = () => service.send('/api/admin/v1/sessions', { token: link, method: 'DELETE' })
    for (const { status, body } of [
      await send(link, '', { json: VIEW }),
      await put(link, id),
      await remove(link, id),
      await end(),
    ]) {
      expect([status, body.parameters.reason]).toEqual([403, 'a read-only link can only read'])
    }
    expect(
      (await service.send('/api/v1/ontologies/numbers/objects/number', { token: link })).status,
    ).toBe(200)
    await remove(ada, id)
  })

  it('are limited in number', async () => {
    await using own = await startService()
    await own.apply(NUMBERS)
    const { documents } = own.store
    const create = () => own.send(VIEWS, { json: VIEW })
    await create()
    const [saved] = await documents.list('savedView', 0)
    const copies = Array.from({ length: OWN_VIEWS_MAX - 2 }, (_, n) => `${saved?.id}${n}`)
    for (const id of copies) if (saved) await documents.put({ ...saved, id })
    expect((await create()).status).toBe(200)
    const { status, body } = await create()
    expect([status, body.errorName, body.parameters.limit]).toEqual([
      409,
      'SavedViewsExceededLimit',
      OWN_VIEWS_MAX,
    ])
  })

  it('are deleted with their ontology', async () => {
    await using own = await startService()
    const definition = { ...NUMBERS, rid: 'ri.ontology.main.ontology.1' }
    await own.apply(definition)
    await own.send(VIEWS, { json: VIEW })
    await own.send('/api/admin/v1/ontologies/numbers', { method: 'DELETE' })
    await own.apply(definition)
    expect((await own.send(VIEWS)).body.data).toEqual([])
  })

  it('are in the audit log, without their contents', async () => {
    const { id } = await save(ada, { ...VIEW, name: 'Audited' })
    const { body } = await service.send('/api/admin/v1/audit?operation=createSavedView&pageSize=1')
    expect(body.data[0]).toMatchObject({ operation: 'createSavedView', caller: { name: 'ada' } })
    expect(JSON.stringify(body.data[0])).toContain(id)
    expect(JSON.stringify(body.data[0])).not.toContain('Audited')
    await remove(ada, id)
  })
})
