import type { FastifyReply } from 'fastify'
import { dataHeaders } from './data-headers.ts'
import { CACHE_CONTROL, etagOfBytes, isCacheable, isNotModified } from './entity-tag.ts'

/**
 * Sends text that is already JSON, without serialising it again. `knownEtag` is its tag, if the caller
 * knows it already.
 */
export function sendJson(
  reply: FastifyReply,
  json: Buffer | string,
  knownEtag?: string,
): FastifyReply {
  reply.headers(dataHeaders(reply, undefined))
  if (isCacheable(reply)) {
    const etag = knownEtag ?? etagOfBytes(json)
    reply.headers({ etag, 'cache-control': CACHE_CONTROL })
    if (isNotModified(reply, etag)) return reply.code(304).send()
  }
  return reply.type('application/json').send(json)
}
