/** Applies what endpoints declare about the headers that guard writes. */
import type { FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { invalidArgument } from '../../contract/errors.ts'
import { IDEMPOTENCY_KEY_MAX_LENGTH, IDEMPOTENCY_KEY_TTL_SECONDS } from '../../contract/limits.ts'
import { documentedWith, text } from '../../contract/schema-parts.ts'
import type { App } from '../app.ts'
import type { Guard, WriteGuards } from './declare-guards.ts'

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

/** The header of a write that can be repeated safely. */
const IDEMPOTENCY_HEADERS = {
  'idempotency-key': Type.Optional(
    documentedWith(
      text(
        `Up to ${IDEMPOTENCY_KEY_MAX_LENGTH} characters of your choice, such as a UUID. If a request is sent again with the same key within ${IDEMPOTENCY_KEY_TTL_SECONDS / 3600} hours, it is not applied again, and its first response is returned.`,
      ),
      { pattern: '^[!-~]+$', maxLength: IDEMPOTENCY_KEY_MAX_LENGTH },
    ),
  ),
}

/** The headers of a write of something that has an entity tag. */
const PRECONDITION_HEADERS = {
  'if-match': Type.Optional(
    text(
      'Entity tags, or `*`: what the request writes must exist and have one of them. Otherwise, the status is 412.',
    ),
  ),
  'if-none-match': Type.Optional(
    text(
      '`*`: what the request writes must not exist. Or entity tags that it must not have. Otherwise, the status is 412.',
    ),
  ),
}
