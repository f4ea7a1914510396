import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'

const type = (apiName: string) => ({
  apiName,
  primaryKey: 'id',
  properties: { id: { type: 'integer' as const }, text: { type: 'string' as const } },
})

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply({ apiName: 'shop', objectTypes: [type('order'), type('item')] })
})
afterAll(() => service[Symbol.asyncDispose]())

const apply = (source: string, lines: readonly unknown[], token?: string) =>
  service.send(`/api/admin/v1/ontologies/shop/transactions/${source}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    ...(token === undefined ? {} : { token }),
  })

const objects = async (objectType: string) => {
  const { text } = await service.send(`/api/admin/v1/ontologies/shop/objects/${objectType}/export`)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const versions = async () => {
  const { body } = await service.send('/api/admin/v1/ontologies/shop/counts')
  return [body.objectTypes.order.version, body.objectTypes.item.version]
}

describe('transactions of a source', () => {
  it('are one commit each, over all their types', async () => {
    const [order, item] = await versions()
    const { status, body } = await apply('first', [
      { objectType: 'order' },
      { put: { id: 1, text: 'new' } },
      { objectType: 'item' },
      { put: { id: 7 } },
      { put: { id: 8 } },
      { commit: '001' },
      { objectType: 'order' },
      { put: { id: 1, text: 'newer' } },
      { delete: 99 },
      { commit: '002' },
      { objectType: 'item' },
      { delete: 7 },
      { commit: '003' },
    ])
    expect([status, body]).toEqual([200, { position: '003', applied: 3 }])
    expect(await objects('order')).toEqual([{ id: 1, text: 'newer' }])
    expect(await objects('item')).toEqual([{ id: 8 }])
    expect(await versions()).toEqual([order + 2, item + 2])
  })

  it('are skipped up to the stored position, which is that of their source', async () => {
    const lines = [{ objectType: 'order' }, { put: { id: 1, text: 'old' } }, { commit: '003' }]
    const next = [{ put: { id: 2 } }, { commit: '004' }]
    expect((await apply('first', [...lines, ...next])).body).toEqual({
      position: '004',
      applied: 1,
    })
    expect(await objects('order')).toEqual([{ id: 1, text: 'newer' }, { id: 2 }])
    expect((await apply('first', [])).body).toEqual({ position: '004', applied: 0 })
    expect((await apply('other', [])).body).toEqual({ position: '', applied: 0 })
  })

  it('have a position for as long as their ontology', async () => {
    await service.apply({ apiName: 'passing', objectTypes: [type('stamp')] })
    const lines = [{ objectType: 'stamp' }, { put: { id: 1 } }, { commit: '001' }]
    const { status } = await service.send('/api/admin/v1/ontologies/passing/transactions/first', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect(status).toBe(200)
    const positions = () => service.store.documents.list('sourcePosition', Date.now())
    const before = (await positions()).length
    const path = '/api/admin/v1/ontologies/passing?cascade=true'
    expect((await service.send(path, { method: 'DELETE' })).status).toBe(200)
    expect(await positions()).toHaveLength(before - 1)
    expect((await apply('first', [])).body).toEqual({ position: '004', applied: 0 })
  })

  it('are applied all or not at all', async () => {
    const before = await versions()
    const { status, body } = await apply('first', [
      { objectType: 'order' },
      { put: { id: 3 } },
      { commit: '005' },
      { put: { id: 'three' } },
      { commit: '006' },
    ])
    expect([status, body.errorName]).toEqual([400, 'InvalidBatchLine'])
    expect(body.parameters).toMatchObject({ line: 4, property: 'id' })
    expect((await apply('first', [])).body.position).toBe('004')
    expect(await versions()).toEqual(before)
  })

  it('are refused if a line is out of place', async () => {
    const order = { objectType: 'order' }
    const refusals = [
      [{ put: { id: 1 } }, { commit: '9' }],
      [order, { put: { id: 1 } }],
      [order, { put: { id: 1 } }, { commit: '8' }, { delete: 1 }, { commit: '8' }],
      [order, { put: { id: 1 }, commit: '9' }],
      [{ commit: 9 }],
    ]
    for (const lines of refusals) {
      const { status, body } = await apply('refused', lines)
      expect([status, body.errorName]).toEqual([400, 'InvalidBatchLine'])
    }
    const { body } = await apply('refused', [{ objectType: 'nothing' }])
    expect(body.errorName).toBe('ObjectTypeNotFound')
    expect((await apply('refused', [])).body.position).toBe('')
  })

  it('need the right to write', async () => {
    const token = await service.createToken()
    expect((await apply('first', [{ commit: '9' }], token)).status).toBe(403)
  })

  it('are the same for readers as batches, one after the other', async () => {
    const change = fc.record({ id: fc.integer({ min: 1, max: 5 }), text: fc.option(fc.string()) })
    const transactions = fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), {
      maxLength: 8,
    })
    for (const name of ['order', 'item']) {
      await service.write(
        'shop',
        name,
        [1, 2, 3, 4, 5, 7, 8].map((id) => ({ delete: id })),
      )
    }
    let position = 100_000
    await fc.assert(
      fc.asyncProperty(transactions, async (history) => {
        const [orders, items] = await versions()
        const together: unknown[] = [{ objectType: 'order' }]
        for (const one of history) {
          const lines = one.map(({ id, text }) =>
            text === null ? { delete: id } : { put: { id, text } },
          )
          position += 1
          together.push(...lines, { commit: String(position) })
          await service.write('shop', 'item', lines)
        }
        expect((await apply('model', together)).status).toBe(200)
        expect(await objects('order')).toEqual(await objects('item'))
        const [order, item] = await versions()
        expect(order - orders).toBe(item - items)
        for (let step = 1; step <= order - orders; step += 1) {
          expect(await changesOf('order', orders, step)).toEqual(
            await changesOf('item', items, step),
          )
        }
      }),
      fcOptions(40, 15),
    )
    await service.store.verify(new AbortController().signal)
  })

  /** What the commits up to one of them have changed, as the store lists it. */
  async function changesOf(name: string, since: number, step: number) {
    const catalogue = await service.store.readCatalogue({ named: [{ ontology: 'shop' }] })
    const objectType = catalogue.find('shop')?.objectTypes.get(name)
    if (objectType === undefined) throw new Error(`no type ${name}`)
    const listed = await service.store.listChanges({
      objectType,
      since,
      until: since + step,
      after: undefined,
      maxChanges: 100,
      includesUnchanged: false,
    })
    if (listed === 'reclaimed') throw new Error('a version was reclaimed')
    return listed.changes.map(({ pk, version, isCurrent, isChanged }) => [
      pk,
      version - since,
      isCurrent,
      isChanged,
    ])
  }
})
