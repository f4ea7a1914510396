import { CACHE_CONTROL, isHeld, isTagged, type TaggedReply, tagOfBytes } from './entity-tag.ts'

/** The part of a reply that this needs, whatever schema types the rest of it. */
interface JsonReply<Sent> extends TaggedReply {
  headers(values: Record<string, string>): unknown
  code(status: 304): { send(payload: never): Sent }
  type(contentType: string): { send(payload: never): Sent }
}

/** Sends JSON that is text already: no schema looks at it and nothing serialises it again. */
export function sendJson<Sent>(reply: JsonReply<Sent>, json: Buffer | string): Sent {
  if (isTagged(reply)) {
    const tag = tagOfBytes(json)
    reply.headers({ etag: tag, 'cache-control': CACHE_CONTROL })
    if (isHeld(reply, tag)) return reply.code(304).send(undefined as never)
  }
  return reply.type('application/json').send(json as never)
}
