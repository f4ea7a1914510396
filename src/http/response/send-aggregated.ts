/** Sends the groups of an aggregation, for every version of the API. */
import type { FastifyReply } from 'fastify'
import { bytesOf } from '../../service/aggregate-within.ts'
import type { AggregateResult } from '../../store/object-store.ts'
import { requireVerified } from '../../store/port/request-context.ts'
import { dataHeaders } from './data-headers.ts'

/** Sends the groups without the framework, which only sends bodies in one piece. */
export function sendAggregated(
  reply: FastifyReply,
  { records, excludedItems, versions }: AggregateResult,
  members: Readonly<Record<string, unknown>> = {},
): FastifyReply {
  // Members that are undefined are omitted.
  const envelope = JSON.stringify({ excludedItems, ...members, data: [] })
  const head = envelope.slice(0, -2)
  const tail = ']}'
  requireVerified(reply.request.context)
  const { raw } = reply.hijack()
  raw.writeHead(200, {
    'content-type': 'application/json',
    'content-length': head.length + bytesOf(records) + tail.length,
    ...dataHeaders(reply, versions.length === 1 ? versions[0] : undefined),
  })
  raw.write(head, 'latin1')
  for (const piece of records) raw.write(piece)
  raw.end(tail, 'latin1')
  return reply
}
