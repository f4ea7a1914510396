import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service.ts'

const DEFINITION = {
  apiName: 'guarded',
  objectTypes: ['thing', 'other'].map((apiName) => ({
    apiName,
    primaryKey: 'id',
    properties: { id: { type: 'string' } },
  })),
}
const PATH = '/api/admin/v1/ontologies/guarded'
const POLICY = '/api/admin/v1/policies/readers'
const RIGHT = { ontology: 'guarded', objectType: 'thing', access: 'read' }
const STALE = '"0000000000000000000000"'

describe('a conditional write of a definition or a policy', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const tagOf = async (path: string) => (await service.send(path)).headers.get('etag') ?? ''
  const define = (description: string, headers: Record<string, string> = {}) =>
    service.send(PATH, { method: 'PUT', json: { ...DEFINITION, description }, headers })
  const save = (description: string, headers: Record<string, string> = {}) =>
    service.send(POLICY, { method: 'PUT', json: { rights: [RIGHT], description }, headers })
  const remove = (path: string, headers: Record<string, string>) =>
    service.send(path, { method: 'DELETE', headers })
  const FAILED = { errorName: 'PreconditionFailed', parameters: { parameter: 'If-Match' } }

  it('creates only what does not exist, or changes only what exists', async () => {
    for (const write of [define, save]) {
      expect((await write('a', { 'if-match': '*' })).status).toBe(412)
      expect((await write('a', { 'if-match': STALE })).status).toBe(412)
      expect((await write('a', { 'if-none-match': '*' })).status).toBe(200)
      const again = await write('b', { 'if-none-match': '*' })
      expect([again.status, again.body.parameters.parameter]).toEqual([412, 'If-None-Match'])
      expect((await write('b', { 'if-match': '*' })).status).toBe(200)
    }
  })

  it('happens if the tag of GET still matches', async () => {
    for (const [path, write] of [
      [PATH, define],
      [POLICY, save],
    ] as const) {
      const tag = await tagOf(path)
      const saved = await write('c', { 'if-match': tag })
      expect(saved.status).toBe(200)
      expect(saved.headers.get('etag')).toBe(await tagOf(path))
      const stale = await write('d', { 'if-match': tag })
      expect([stale.status, stale.body]).toMatchObject([412, FAILED])
      expect((await service.send(path)).body.description).toBe('c')
      expect((await write('e', { 'if-match': `${STALE}, ${await tagOf(path)}` })).status).toBe(200)
      expect((await write('f', { 'if-none-match': await tagOf(path) })).status).toBe(412)
      expect((await write('f', { 'if-none-match': STALE })).status).toBe(200)
    }
  })

  it('is checked by a dry run, too', async () => {
    const options = { method: 'PUT', json: DEFINITION }
    const stale = { ...options, headers: { 'if-match': STALE } }
    expect((await service.send(`${PATH}?dryRun=true`, stale)).status).toBe(412)
    const current = { ...options, headers: { 'if-match': await tagOf(PATH) } }
    expect((await service.send(`${PATH}?dryRun=true`, current)).status).toBe(200)
  })

  it('succeeds once if several are based on the same tag', async () => {
    for (const [path, write] of [
      [PATH, define],
      [POLICY, save],
    ] as const) {
      for (let round = 0; round < 5; round += 1) {
        const tag = await tagOf(path)
        const writes = [1, 2, 3, 4].map((n) => write(`${round}.${n}`, { 'if-match': tag }))
        const answers = await Promise.all(writes)
        const statuses = answers.map(({ status }) => status).toSorted()
        expect([path, ...statuses]).toEqual([path, 200, 412, 412, 412])
        const winner = answers.find(({ status }) => status === 200)
        const { body } = await service.send(path)
        expect(body.description).toBe(winner?.body.description)
      }
    }
  })

  it('deletes nothing if the tag does not match', async () => {
    await service.put('guarded', 'thing', [{ id: 'a' }])
    const type = `${PATH}/objectTypes/thing`
    const deletions = [type, `${type}?cascade=true`, PATH, `${PATH}?cascade=true`, POLICY]
    for (const path of deletions) {
      const answer = await remove(path, { 'if-match': STALE })
      expect([path, answer.status, answer.body]).toMatchObject([path, 412, FAILED])
      expect((await remove(path, { 'if-none-match': '*' })).status).toBe(412)
    }
    expect((await service.send('/api/v1/ontologies/guarded/objects/thing/a')).status).toBe(200)
    expect((await service.send(POLICY)).status).toBe(200)
  })

  it('deletes what has the tag', async () => {
    const before = await tagOf(PATH)
    const type = await remove(`${PATH}/objectTypes/other`, { 'if-match': before })
    expect([type.status, type.body.objectTypes]).toEqual([200, ['other']])
    // The definition has changed with its type.
    expect((await remove(`${PATH}?cascade=true`, { 'if-match': before })).status).toBe(412)
    const current = await tagOf(PATH)
    expect((await remove(`${PATH}?cascade=true`, { 'if-match': current })).status).toBe(200)
    expect((await remove(POLICY, { 'if-match': await tagOf(POLICY) })).status).toBe(200)
    expect((await service.send(POLICY)).status).toBe(404)
  })

  it('takes the tag of what a limited caller sees', async () => {
    await define('limited')
    const rights = [{ ontology: 'guarded', objectType: '*', access: 'administer' }]
    await service.send('/api/admin/v1/policies/keepers', { method: 'PUT', json: { rights } })
    const scopes = ['api:ontologies-read', 'api:ontologies-write'] as const
    const token = await service.createToken({ scopes, policies: ['keepers'] })
    const etag = (await service.send(PATH, { token })).headers.get('etag') ?? ''
    const headers = { 'if-match': etag }
    const json = { ...DEFINITION, description: 'by a limited caller' }
    expect((await service.send(PATH, { method: 'PUT', json, headers, token })).status).toBe(200)
    expect((await service.send(PATH, { method: 'PUT', json, headers, token })).status).toBe(412)
  })
})
