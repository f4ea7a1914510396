/** Reads the objects of an export in chunks, all of them as of one version. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { EXPORT_CHUNK_BYTES, EXPORT_CHUNK_OBJECTS } from '../../contract/limits.ts'
import { CHECKED_RECORD, CHECKED_SELECTION } from '../../contract/object-record.ts'
import type { ReadPageRequest, StoredPage } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { CheckOptions } from './check-records.ts'
import type { ExportSpec } from './export-spec.ts'

interface ChunkStart extends Pick<ReadPageRequest, 'after' | 'version' | 'isOfDefinition'> {
  /** The number of objects before the chunk. */
  readonly received: number
}

/** The records of a chunk have checksums, which are compared before they are converted. */
export interface ExportChunk extends StoredPage {
  readonly check: CheckOptions
}

export async function readChunk(
  { objectType, query, order, selection, linkedVersions, size = Infinity }: ExportSpec,
  { received, ...start }: ChunkStart,
  context: ServiceContext,
  { objects }: ServiceParts,
): Promise<ExportChunk> {
  const pageRequest: ReadPageRequest = {
    objectType,
    query,
    order,
    record: {
      shape: selection === undefined ? CHECKED_RECORD : CHECKED_SELECTION,
      selection,
      separator: '\n',
    },
    ...start,
    linkedVersions,
    maxObjects: Math.min(EXPORT_CHUNK_OBJECTS, size - received),
    maxBytes: EXPORT_CHUNK_BYTES,
    includeTotalCount: false,
    matchEstimate: undefined,
  }
  const page = await objects.readPage(pageRequest, context)
  if (page === 'reclaimed')
    throw new ObjectQueryError('VersionNotFound', { version: start.version })
  const check = {
    objectType: objectType.apiName,
    hasSelection: selection !== undefined,
    isInKeyOrder: order.length === 0,
    after: start.after?.pk,
  }
  return { ...page, check }
}

export async function* readChunks(
  spec: ExportSpec,
  first: ExportChunk,
  context: ServiceContext,
  services: ServiceParts,
): AsyncGenerator<ExportChunk> {
  const { version, linkedVersions = spec.linkedVersions } = first
  let received = spec.received + first.count
  for (let chunk = first; chunk.more && received !== spec.size; received += chunk.count) {
    await services.admission.takeTurn(context.callerId)
    context.signal().throwIfAborted()
    // Continues by its own cursor, also if the definition changes meanwhile.
    const start = { after: chunk.last, version, received }
    chunk = await readChunk({ ...spec, linkedVersions }, start, context, services)
    yield chunk
  }
}
