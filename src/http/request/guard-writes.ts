/** Applies what endpoints declare about the headers that guard writes. */
import type { FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { invalidArgument } from '../../contract/errors.ts'
import type { App } from '../app.ts'
import { IDEMPOTENCY_HEADERS, PRECONDITION_HEADERS } from '../schemas/write-headers.ts'
import type { Guard, WriteGuards } from './write-guards.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses endpoints that declare no guards, documents the headers of the others, and refuses those
 * that they do not honour. Must be added before the endpoints.
 */
export function guardWrites(app: App): void {
  app.addHook('onRoute', (route) => {
    const { method, url, config } = route
    if ([method].flat().every((one) => SAFE_METHODS.includes(one))) return
    const writes = config?.writes
    if (writes === undefined) throw new Error(`${method} ${url} does not declare what it writes`)
    if (writes === 'nothing') return
    const headers = headersOf(writes)
    if (Object.keys(headers).length > 0) {
      route.schema = { ...route.schema, headers: Type.Object(headers) }
    }
    const hooks = [route.onRequest ?? []].flat()
    route.onRequest = [...hooks, async (request: FastifyRequest) => refuseHeaders(request, writes)]
  })
}

type Guards = Exclude<WriteGuards, 'nothing'>

function headersOf({ preconditions, idempotencyKey }: Guards): TProperties {
  return {
    ...(idempotencyKey === 'honoured' ? IDEMPOTENCY_HEADERS : {}),
    ...(preconditions === 'honoured' ? PRECONDITION_HEADERS : {}),
  }
}

function refuseHeaders(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { preconditions, idempotencyKey }: Guards,
): void {
  refuse('Idempotency-Key', headers['idempotency-key'], idempotencyKey)
  refuse('If-Match', headers['if-match'], preconditions)
  refuse('If-None-Match', headers['if-none-match'], preconditions)
  // Beside If-Match it has no effect (RFC 9110, 13.1.4). Alone it is a guard, too.
  if (headers['if-match'] === undefined) {
    refuse('If-Unmodified-Since', headers['if-unmodified-since'], UNDATED)
  }
}

const UNDATED = { refused: 'is not supported: nothing has a modification date; send If-Match' }

function refuse(header: string, value: unknown, guard: Guard): void {
  if (value !== undefined && guard !== 'honoured') throw invalidArgument(header, guard.refused)
}
