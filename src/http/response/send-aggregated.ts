/** Sends the groups of an aggregation, for every version of the API. */
import type { ServerResponse } from 'node:http'
import { bytesOf } from '../../service/aggregate-within.ts'
import type { AggregateResult } from '../../store/object-store.ts'
import { dataHeaders, type TimedReply } from './data-headers.ts'
import { requireVerified } from './require-verified.ts'

/** The part of a reply that `sendAggregated` uses, whatever its schema. */
interface RawReply<Reply> extends TimedReply {
  readonly raw: ServerResponse
  hijack(): Reply
}

/** Sends the groups without the framework, which only sends bodies in one piece. */
export function sendAggregated<Reply>(
  reply: RawReply<Reply>,
  { records, excludedItems, versions }: AggregateResult,
  members: Readonly<Record<string, unknown>> = {},
): Reply {
  // Members that are undefined are omitted.
  const envelope = JSON.stringify({ excludedItems, ...members, data: [] })
  const head = envelope.slice(0, -2)
  const tail = ']}'
  requireVerified(reply.request)
  const hijacked = reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    'content-type': 'application/json',
    'content-length': head.length + bytesOf(records) + tail.length,
    ...dataHeaders(reply, versions.length === 1 ? versions[0] : undefined),
  })
  raw.write(head, 'latin1')
  for (const piece of records) raw.write(piece)
  raw.end(tail, 'latin1')
  return hijacked
}
