import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { valuesOf, type Walk, walkPages } from '../support/walk.ts'

const PATH = '/api/admin/v1/ontologies/numbers/objects/number/deleteByQuery'
const walk: Walk = { revision: '1.0', ontology: 'numbers', objectType: 'number' }

describe('delete by query', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: 'none' } })
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const remove = (query: unknown, token?: string | null) =>
    service.send(PATH, { json: { query }, ...(token === undefined ? {} : { token }) })
  const stored = async () => valuesOf(await walkPages(service, walk), 'n')
  const compare = (type: string, value: number) => ({ type, field: 'properties.n', value })
  const EVERYTHING = { type: 'isNull', field: 'properties.n', value: false }

  it('deletes nothing from a type that was never written to', async () => {
    expect((await remove(EVERYTHING)).body).toEqual({ version: 0, deleted: 0 })
  })

  it('deletes the matches as one commit, and nothing else', async () => {
    const { body } = await service.put('numbers', 'number', numbers(20))
    const deleted = await remove(compare('gte', 5))
    expect(deleted.body).toEqual({ version: body.version + 1, deleted: 15 })
    expect(await stored()).toEqual([0, 1, 2, 3, 4])
    const again = await remove(compare('gte', 5))
    expect(again.body).toEqual({ version: body.version + 1, deleted: 0 })
    const both = { type: 'or', value: [compare('eq', 0), compare('eq', 3)] }
    expect((await remove(both)).body).toMatchObject({ deleted: 2 })
    expect(await stored()).toEqual([1, 2, 4])
    expect((await remove(EVERYTHING)).body).toMatchObject({ deleted: 3 })
    expect(await stored()).toEqual([])
    const { body: count } = await service.send('/api/v1/ontologies/numbers/objects/number')
    expect(count.totalCount).toBe('0')
  })

  it('deletes by text, by array elements and by struct fields', async () => {
    await service.put('aviation', 'airport', [
      { id: 'A', name: 'Great Northern Field' },
      { id: 'B', name: 'Southern Field', aliases: ['old', 'grey'] },
      { id: 'C', names: [{ text: 'Feld', language: 'de' }] },
      { id: 'D', elevation: 5 },
    ])
    const path = '/api/admin/v1/ontologies/aviation/objects/airport/deleteByQuery'
    const queries = [
      { type: 'phrase', field: 'properties.name', value: 'great northern' },
      { type: 'contains', field: 'properties.aliases', value: 'grey' },
      { type: 'anyTerm', field: 'properties.name', value: 'suthern', fuzzy: true },
    ]
    const deleted: number[] = []
    for (const query of queries) {
      deleted.push((await service.send(path, { json: { query } })).body.deleted)
    }
    expect(deleted).toEqual([1, 1, 0])
  })

  it('leaves snapshots as they are', async () => {
    await service.put('numbers', 'number', numbers(6))
    const first = await service.send(
      '/api/v1/ontologies/numbers/objects/number?pageSize=2&snapshot=true',
    )
    await remove(EVERYTHING)
    const token = encodeURIComponent(first.body.nextPageToken)
    const next = await service.send(
      `/api/v1/ontologies/numbers/objects/number?pageSize=2&snapshot=true&pageToken=${token}`,
    )
    expect(next.body.data.map((one: { properties: object }) => one.properties)).toEqual([
      { n: 2 },
      { n: 3 },
    ])
  })

  it('deletes a large set, which can be written again', async () => {
    const many = numbers(12_000)
    await service.put('numbers', 'number', many)
    expect((await remove(compare('gte', 10))).body).toMatchObject({ deleted: 11_990 })
    expect(await stored()).toHaveLength(10)
    await service.put('numbers', 'number', numbers(100))
    expect(await stored()).toHaveLength(100)
  })

  it('deletes exactly what matches when it commits, during concurrent writes', async () => {
    await remove(EVERYTHING)
    await service.put('numbers', 'number', numbers(2000))
    // Each object is either old or new; a delete that mixes them would leave a part of a batch.
    const rewrite = (text: string) =>
      service.put(
        'numbers',
        'number',
        numbers(2000).map(({ n }) => ({ n, text })),
      )
    const round = async (text: string) => {
      const [, deletion] = await Promise.all([
        rewrite(text),
        remove({ type: 'eq', field: 'properties.text', value: text }),
      ])
      return deletion.body.deleted as number
    }
    for (let at = 0; at < 5; at += 1) {
      expect([0, 2000]).toContain(await round(`round ${at}`))
      expect([0, 2000]).toContain((await stored()).length)
    }
  })

  it('refuses a missing query instead of deleting everything', async () => {
    await service.put('numbers', 'number', numbers(3))
    const before = await stored()
    for (const json of [{}, { query: null }, { query: {} }]) {
      const answer = await service.send(PATH, { json })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({
        errorName: 'Default:InvalidArgument',
        parameters: { parameter: 'query' },
      })
    }
    const refusals: readonly [json: unknown, status: number, errorName: string][] = [
      [undefined, 400, 'MissingPostBody'],
      [[], 422, 'Conjure:UnprocessableEntity'],
      [{ query: { type: 'nope' } }, 400, 'Default:InvalidArgument'],
      [{ query: EVERYTHING, nope: 1 }, 422, 'Conjure:UnprocessableEntity'],
      [{ query: compare('eq', 0.5) }, 400, 'InvalidPropertyValue'],
      [{ query: { type: 'and', value: [] } }, 400, 'InvalidAndFilter'],
    ]
    for (const [json, status, errorName] of refusals) {
      const answer = await service.send(PATH, { method: 'POST', json })
      expect([json, answer.status, answer.body.errorName]).toEqual([json, status, errorName])
    }
    expect(await stored()).toEqual(before)
  })

  it('requires the write scope and a visible ontology', async () => {
    const reader = await service.createToken()
    const scopes = ['api:ontologies-write'] as const
    const other = await service.createToken({ scopes, ontologies: ['aviation'] })
    expect((await remove(EVERYTHING, reader)).status).toBe(403)
    expect((await remove(EVERYTHING, other)).body.errorName).toBe('OntologyNotFound')
    expect((await remove(EVERYTHING, null)).status).toBe(401)
  })
})
