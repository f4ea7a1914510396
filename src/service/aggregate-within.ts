/** Runs aggregations, for every version of the API. */
import { ShownVersion, storedType } from '../access/ruled-objects.ts'
import { errorWithin, ObjectQueryError } from '../contract/errors.ts'
import { AGGREGATE_MAX_BYTES } from '../contract/limits.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import type { Aggregation } from '../query/aggregation/aggregation.ts'
import { EVERYTHING, type Query } from '../query/query.ts'
import { resolveRelativeDates } from '../query/relative-dates.ts'
import type { AggregateRequest, AggregateResult, AggregateSource } from '../store/object-store.ts'
import type { RequestContext } from '../store/port/request-context.ts'
import { probeRequest } from './pages/probe-request.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceParts } from './service-parts.ts'

/** An aggregation in which callers can name versions. */
export interface AggregateSpec extends Pick<AggregateRequest, 'aggregation'> {
  readonly sources: readonly NamedSource[]
}

interface NamedSource extends Omit<AggregateSource, 'version'> {
  readonly version?: ShownVersion | undefined
}

export interface Aggregated extends Omit<AggregateResult, 'versions'> {
  /** The version that was read, if it is one. */
  readonly version: ShownVersion | undefined
}

/** Aggregates within the memory of the caller, which is held until the response is sent. */
export async function aggregateWithin(
  context: ServiceContext,
  services: ServiceParts,
  spec: AggregateSpec,
): Promise<Aggregated> {
  services.memory.refuseWhenFull(context.callerId)
  const sources = spec.sources.map(({ version, ...source }) => ({
    ...source,
    version: version?.number,
  }))
  const aggregated = await aggregate({ ...spec, sources }, services, context, services.now())
  hold(aggregated, context, services)
  context.noteRead(
    spec.sources.map(({ objectType }) => objectType),
    0,
  )
  return withVersion(
    spec.sources.map(({ objectType }) => objectType),
    aggregated,
  )
}

/** Several aggregations of one object type. */
export interface AggregateBatch {
  readonly objectType: ObjectType
  /** The version that the caller names; undefined for the newest. */
  readonly version: ShownVersion | undefined
  readonly parts: readonly { readonly query: Query; readonly aggregation: Aggregation }[]
}

/** Returns the path of an aggregation in the body of a request with several. */
export const pathInBatch = (index: number) => `aggregations[${index}]`

/**
 * Runs several aggregations at once, all as of the same version. If one fails, the others are stopped,
 * and the error names it.
 */
export async function aggregateBatch(
  context: ServiceContext,
  services: ServiceParts,
  { objectType, version: named, parts }: AggregateBatch,
): Promise<readonly Aggregated[]> {
  services.memory.refuseWhenFull(context.callerId)
  const version = named?.number ?? (await readNewestVersion(objectType, context, services))
  const stopped = new AbortController()
  const stoppable = stoppableBy(context, stopped.signal)
  const atMs = services.now()
  let bytes = 0
  const run = async ({ query, aggregation }: AggregateBatch['parts'][number], index: number) => {
    try {
      const spec = { sources: [{ objectType, query, version }], aggregation }
      const aggregated = await aggregate(spec, services, stoppable, atMs)
      bytes += hold(aggregated, context, services)
      if (bytes > AGGREGATE_MAX_BYTES) {
        const bytesLimit = AGGREGATE_MAX_BYTES
        throw new ObjectQueryError('AggregationMemoryExceededLimit', { bytesLimit })
      }
      return withVersion([objectType], aggregated)
    } catch (error) {
      throw errorWithin(pathInBatch(index), error)
    }
  }
  try {
    const aggregated = await Promise.all(parts.map(run))
    context.noteRead([objectType], 0)
    return aggregated
  } catch (error) {
    stopped.abort(error)
    throw error
  }
}

async function aggregate(
  spec: Omit<AggregateRequest, 'maxGroups'>,
  { objects, limits }: ServiceParts,
  context: RequestContext,
  atMs: number,
): Promise<AggregateResult> {
  refuseLargeGrids(spec.aggregation, limits.aggregateMaxGroups)
  const sources = spec.sources.map((source) => ({
    ...source,
    query: resolveRelativeDates(source.query, atMs),
  }))
  const request = { ...spec, sources, maxGroups: limits.aggregateMaxGroups }
  const aggregated = await objects.aggregate(request, context)
  if (aggregated !== 'reclaimed') return aggregated
  throw versionNotFound(sources.find(({ version }) => version !== undefined)?.version)
}

/** Holds the memory of a result until the request ends, and returns its bytes. */
function hold(
  { records }: AggregateResult,
  context: ServiceContext,
  { memory }: ServiceParts,
): number {
  const bytes = bytesOf(records)
  const held = memory.hold(context.callerId, bytes)
  context.defer(() => held.release())
  return bytes
}

function withVersion(
  types: readonly ObjectType[],
  { versions, ...aggregated }: AggregateResult,
): Aggregated {
  const [version] = versions
  const isOne = versions.length === 1 && version !== undefined
  return { ...aggregated, version: isOne ? ShownVersion.read(types, version) : undefined }
}

function versionNotFound(version: number | undefined): ObjectQueryError {
  return new ObjectQueryError('VersionNotFound', { version })
}

/** Reads the newest version of a type, which no rule changes: one object by key is a quick page. */
async function readNewestVersion(
  objectType: ObjectType,
  context: ServiceContext,
  { objects }: ServiceParts,
): Promise<number | undefined> {
  const probe = probeRequest(storedType(objectType), EVERYTHING, { includeTotalCount: false })
  const page = await objects.readPage(probe, context)
  // No version is requested, so the latest is read, which is never reclaimed.
  if (page === 'reclaimed') return undefined
  page.release()
  return page.version
}

/** Returns a context that ends with its request, and earlier if `stopped` is aborted. */
function stoppableBy(context: ServiceContext, stopped: AbortSignal): RequestContext {
  const signal = AbortSignal.any([context.signal(), stopped])
  return {
    callerId: context.callerId,
    signal: () => signal,
    cachedIdentity: context.cachedIdentity,
    onRead: (report) => context.onRead?.(report),
    measure: (work, run) => context.measure?.(work, run) ?? run(),
  }
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
