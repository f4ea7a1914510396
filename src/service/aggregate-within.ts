/** Runs aggregations, for every version of the API. */
import { ObjectQueryError } from '../contract/errors.ts'
import type { Aggregation } from '../query/aggregation/aggregation.ts'
import { resolveRelativeDates } from '../query/relative-dates.ts'
import type { AggregateRequest, AggregateResult } from '../store/object-store.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceParts } from './service-parts.ts'

/** Aggregates within the memory of the caller, which is held until the response is sent. */
export async function aggregateWithin(
  context: ServiceContext,
  { objects, memory, limits, now }: ServiceParts,
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
  const aggregated = await objects.aggregate(spec, context)
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

export function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((bytes, piece) => bytes + piece.length, 0)
}
