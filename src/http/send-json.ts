/** The part of a reply that this needs, whatever schema types the rest of it. */
interface JsonReply<Sent> {
  type(contentType: string): { send(payload: never): Sent }
}

/** Sends JSON that is text already: no schema looks at it and nothing serialises it again. */
export function sendJson<Sent>(reply: JsonReply<Sent>, json: Buffer | string): Sent {
  return reply.type('application/json').send(json as never)
}
