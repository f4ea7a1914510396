import { dataHeaders, type TimedReply } from './data-headers.ts'
import {
  CACHE_CONTROL,
  etagOfBytes,
  isCacheable,
  isNotModified,
  type TaggedReply,
} from './entity-tag.ts'

/** The part of a reply that `sendJson` uses, whatever its schema. */
interface JsonReply<Sent> extends Omit<TaggedReply, 'request'> {
  readonly request: TaggedReply['request'] & TimedReply['request']
  headers(values: Record<string, string>): unknown
  code(status: 304): { send(payload: never): Sent }
  type(contentType: string): { send(payload: never): Sent }
}

/**
 * Sends text that is already JSON, without serialising it again. `knownEtag` is its tag, if the caller
 * knows it already.
 */
export function sendJson<Sent>(
  reply: JsonReply<Sent>,
  json: Buffer | string,
  knownEtag?: string,
): Sent {
  reply.headers(dataHeaders(reply, undefined))
  if (isCacheable(reply)) {
    const etag = knownEtag ?? etagOfBytes(json)
    reply.headers({ etag, 'cache-control': CACHE_CONTROL })
    if (isNotModified(reply, etag)) return reply.code(304).send(undefined as never)
  }
  return reply.type('application/json').send(json as never)
}
