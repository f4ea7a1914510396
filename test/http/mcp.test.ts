/** The endpoint of agents as HTTP: messages, origins, limits and scopes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const ACCEPT = { accept: 'application/json, text/event-stream' }

describe('/mcp', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({
      settings: { OQS_CORS_ORIGINS: 'https://agents.example', OQS_RATE_LIMIT_PER_MINUTE: '60' },
    })
    await service.apply(NUMBERS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const post = (json: unknown, headers: Record<string, string> = {}, token?: string | null) =>
    service.send('/mcp', {
      json,
      headers: { ...ACCEPT, ...headers },
      ...(token !== undefined && { token }),
    })
  const message = (method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    params,
  })
  const call = (name: string, args: object) => message('tools/call', { name, arguments: args })

  it('answers a message without a session, as JSON', async () => {
    const { status, body, headers } = await post(call('list_types', {}))
    expect(status).toBe(200)
    expect(headers.get('mcp-session-id')).toBeNull()
    expect(JSON.parse(body.result.content[0].text)).toMatchObject({ ontology: 'numbers' })
  })

  it('accepts notifications, and refuses streams, batches and anything else', async () => {
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect((await post(initialized)).status).toBe(202)
    expect((await service.send('/mcp', { headers: ACCEPT })).status).toBe(405)
    expect((await service.send('/mcp', { method: 'DELETE' })).status).toBe(405)
    const batch = [call('list_types', {}), call('list_types', {})]
    expect((await post(batch)).status).toBe(422)
    expect((await post({ id: 1 })).status).toBe(422)
    expect((await post({ jsonrpc: '2.0', id: 1 })).status).toBe(422)
    expect((await post(7)).status).toBe(422)
    expect((await post(call('list_types', {}), { accept: 'text/html' })).status).toBe(406)
    expect((await post(message('tools/unknown'))).body.error.code).toBe(-32601)
    expect((await post(message('tools/call', { name: 5 }))).body.error.code).toBe(-32602)
    const reserved = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{}}}'
    const sent = await service.send('/mcp', {
      body: reserved,
      headers: { ...ACCEPT, 'content-type': 'application/json' },
      method: 'POST',
    })
    expect(sent.status).toBe(400)
  })

  it('refuses web sites that may not call the service', async () => {
    const list = call('list_types', {})
    const refused = await post(list, { origin: 'https://evil.example' })
    expect([refused.status, refused.body.errorName]).toEqual([403, 'ApiUsageDenied'])
    expect((await post(list, { origin: 'https://agents.example' })).status).toBe(200)
    expect((await post(list, { origin: service.url })).status).toBe(200)
  })

  it('requires a token with the scope to read', async () => {
    const list = call('list_types', {})
    const missing = await post(list, {}, null)
    expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    expect((await post(list, {}, writer)).body).toMatchObject({
      errorName: 'ApiUsageDenied',
      parameters: { missingScope: 'api:ontologies-read' },
    })
  })

  it('limits the size of a message', async () => {
    const { status } = await post(call('list_types', { contains: 'x'.repeat(20_000_000) }))
    expect(status).toBe(413)
  })

  it('counts each message against the limits of its caller', async () => {
    const token = await service.createToken({ name: 'busy' })
    const statuses = new Set<number>()
    for (let sent = 0; sent < 70; sent += 1) {
      statuses.add((await post(call('list_types', {}), {}, token)).status)
    }
    expect([...statuses].toSorted()).toEqual([200, 429])
  })
})
