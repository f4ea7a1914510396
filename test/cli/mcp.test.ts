/** `oqs mcp`, with the official client on its standard input and output. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Agent, agentOf } from '../support/agent.ts'
import { OQS, runOqs } from '../support/oqs-process.ts'
import { type Service, startService } from '../support/service.ts'
import { loadAviation } from './aviation.ts'

describe('oqs mcp', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await loadAviation(service)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  async function startAgent(token: string, mode: 'legacy' | 'modern'): Promise<Agent> {
    const client = new Client(
      { name: 'test', version: '1' },
      mode === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
    )
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [OQS, 'mcp'],
        env: { OQS_URL: service.url, OQS_TOKEN: token },
        stderr: 'ignore',
      }),
    )
    return agentOf(client)
  }

  it.each(['legacy', 'modern'] as const)('serves the tools of the service (%s)', async (mode) => {
    await using agent = await startAgent(await service.createToken(), mode)
    expect(agent.client.getInstructions()).toContain('list_types')
    expect((await agent.client.listTools()).tools.length).toBeGreaterThan(5)
    const airports = { ontology: 'aviation', objectType: 'airport' }
    const { objects, cursor } = await agent.call('search_objects', { ...airports, limit: 2 })
    const next = await agent.call('search_objects', { ...airports, limit: 2, cursor })
    expect(next.objects[0].iata > objects[1].iata).toBe(true)
    expect(await agent.fail('get_object', { ...airports, primaryKey: 'none' })).toContain(
      'ObjectNotFound',
    )
  })

  it('turns the refusal of a revoked token into an error of the tool', async () => {
    await using agent = await startAgent(await service.createToken({ name: 'gone' }), 'legacy')
    await agent.call('list_types')
    await service.revokeTokens('gone')
    expect(await agent.fail('list_types')).toMatch(/REVOKED.*OQS_TOKEN/s)
  })

  it('ends with its input, and at once without a service or a valid token', async () => {
    const settings = { OQS_URL: service.url, OQS_TOKEN: await service.createToken() }
    expect(await runOqs(['mcp'], settings)).toEqual({ code: 0, stdout: '', stderr: '' })
    const refused = await runOqs(['mcp'], { ...settings, OQS_TOKEN: 'wrong' })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('oqs token create')
    const absent = await runOqs(['mcp'], { ...settings, OQS_URL: 'http://127.0.0.1:9' })
    expect(absent.stderr).toContain('cannot reach http://127.0.0.1:9')
  })
})
