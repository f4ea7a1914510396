import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryBudget } from '../../admission/request-memory.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { MEMORY_PER_BYTE } from '../../service/batches/read-batch.ts'
import { HttpContext } from '../request/http-context.ts'
import { reserveBody } from './single-object.ts'

/** One caller may use half of the budget: a body of 1000 bytes. */
const MAX_BODY = 1000

describe('the memory of a body', () => {
  const memory = new MemoryBudget(2 * MAX_BODY * MEMORY_PER_BYTE)
  const app = fastify()

  beforeAll(async () => {
    app.addHook('onRequest', async (request, reply) => {
      const context = new HttpContext(request.raw, reply.raw, '/')
      reply.raw.once('close', () => context.end())
      request.context = context
    })
    app.setErrorHandler((error, _, reply) =>
      reply.code(503).send({
        errorName: error instanceof ObjectQueryError ? error.errorName : String(error),
      }),
    )
    app.put('/', { preParsing: reserveBody({ memory }) }, async () => ({ used: memory.used }))
    await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => app.close())

  async function put(chunks: readonly string[], headers: Record<string, string | number> = {}) {
    const { port } = app.server.address() as AddressInfo
    const options = { method: 'PUT', port, host: '127.0.0.1' }
    const sent = sendRequest({
      ...options,
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
    })
    const responded = once(sent, 'response')
    for (const chunk of chunks) sent.write(chunk)
    sent.end()
    const [response] = await responded
    const body = JSON.parse(await text(response))
    return body.errorName ?? body.used
  }
  const json = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))

  it.each([
    ['with a length', { 'content-length': 900 }],
    ['in chunks', {}],
  ])('is counted until the response is sent, if it comes %s', async (_, headers) => {
    const body = json(900)
    expect(await put([body.slice(0, 400), body.slice(400)], headers)).toBe(900 * MEMORY_PER_BYTE)
    await expect.poll(() => memory.used).toBe(0)
  })

  it.each([
    ['with a length', { 'content-length': 1100 }],
    ['in chunks', {}],
  ])('is refused beyond the budget, if it comes %s', async (_, headers) => {
    const body = json(1100)
    expect(await put([body.slice(0, 600), body.slice(600)], headers)).toBe(
      'Default:RequestEntityTooLarge',
    )
    await expect.poll(() => memory.used).toBe(0)
  })
})
