/** Runs an aggregation and sends its groups, for every version of the API. */
import type { ServerResponse } from 'node:http'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Aggregation } from '../../query/aggregation/aggregation.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import type { AggregateRequest, AggregateResult } from '../../store/object-store.ts'
import type { RequestScope } from '../request/admission.ts'
import type { Services } from '../services.ts'
import { dataHeaders, type TimedReply } from './data-headers.ts'
import { requireConfirmed } from './require-confirmed.ts'

/** The part of a reply that `sendAggregated` uses, whatever its schema. */
interface RawReply<Reply> extends TimedReply {
  readonly raw: ServerResponse
  hijack(): Reply
}

/** Aggregates within the memory of the caller, which is held until the response is sent. */
export async function aggregateWithin(
  context: RequestScope,
  { store, memory, limits, now }: Services,
  request: Omit<AggregateRequest, 'maxGroups'>,
): Promise<AggregateResult> {
  memory.refuseWhenFull(context.callerId)
  refuseLargeGrids(request.aggregation, limits.aggregateMaxGroups)
  const atMs = now()
  const sources = request.sources.map((source) => ({
    ...source,
    query: resolveRelativeDates(source.query, atMs),
  }))
  const spec = { ...request, sources, maxGroups: limits.aggregateMaxGroups }
  const aggregated = await context.traceStore('aggregate', () =>
    context.timeStore(() => store.aggregate(spec, context)),
  )
  if (aggregated === 'reclaimed') {
    const version = request.sources.find((source) => source.version !== undefined)?.version
    throw new ObjectQueryError('VersionNotFound', { version })
  }
  context.noteRead(
    request.sources.map(({ objectType }) => objectType),
    0,
  )
  const held = memory.hold(context.callerId, bytesOf(aggregated.records))
  context.defer(() => held.release())
  return aggregated
}

/** Every cell may become a group, so a grid that is too fine is refused before it is read. */
function refuseLargeGrids({ groupings }: Aggregation, groupsLimit: number): void {
  for (const grouping of groupings) {
    if (grouping.kind !== 'geoGrid') continue
    const groupsCount = grouping.grid.columns * grouping.grid.rows
    if (groupsCount > groupsLimit) {
      throw new ObjectQueryError('AggregationGroupCountExceededLimit', { groupsCount, groupsLimit })
    }
  }
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
  requireConfirmed(reply.request.context)
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

function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((bytes, piece) => bytes + piece.length, 0)
}
