/**
 * Exports all objects of one version, without page size or retrieval limit. The store is read in
 * chunks, as fast as the client receives them, so a slow client costs no memory.
 */

import { isPartlyHidden } from '../../access/policies/ruled-objects.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { EXPORT_CHUNK_BYTES, EXPORT_CHUNK_OBJECTS } from '../../contract/limits.ts'
import { CHECKED_RECORD, CHECKED_SELECTION } from '../../contract/object-record.ts'
import type { TableSpec } from '../../formats/table-file.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { OrderTerm, Query } from '../../query/query.ts'
import type { Selection } from '../../query/selection.ts'
import type { Cursor, ReadPageRequest, StoredPage } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { CheckOptions } from './check-records.ts'
import type { ExportBody, ExportWriter, Piece } from './export-writers.ts'
import type { TableFiles } from './table-files.ts'

type ExportServices = ServiceParts & { readonly tableFiles: TableFiles }

/** What to export, and how. */
export interface ExportSpec {
  readonly objectType: ObjectType
  readonly writer: ExportWriter
  readonly query: Query
  /** Empty for key order. */
  readonly order: readonly OrderTerm[]
  readonly selection: Selection
  readonly after: Cursor | undefined
  readonly version: number | undefined
  /** Of the types that a rule links to; see `ReadPageRequest`. */
  readonly linkedVersions?: readonly number[] | undefined
  readonly received: number
  /** Whether the export continues another response, whose head it has. */
  readonly isContinuation: boolean
  /** The number of objects of a slice; undefined for all objects. */
  readonly size?: number | undefined
  /** Whether the last line states how the export ended. */
  readonly endLine: boolean
}

/** An export of everything that its query matches now, without an end line. */
export const WHOLE_EXPORT = {
  after: undefined,
  version: undefined,
  received: 0,
  isContinuation: false,
  endLine: false,
} as const satisfies Partial<ExportSpec>

/** How an export ends. */
interface ExportEnding {
  readonly complete: (count: number) => void
  /** Returns the body of the error. */
  readonly fail: (error: unknown) => string
}

/** Returns 0 for a caller who sees only a part of the type: the version also counts hidden commits. */
function shownVersion({ objectType }: ExportSpec, { version }: StoredPage): number {
  return isPartlyHidden(objectType) ? 0 : version
}

/** True if an export contains all objects of the newest version, whose number the store knows. */
function isWhole({ query, version, after, objectType }: ExportSpec): boolean {
  const isNewest = version === undefined && after === undefined
  return query.kind === 'everything' && isNewest && !isPartlyHidden(objectType)
}

/** An export whose first chunk was read and converted. */
export interface OpenedExport {
  readonly version: number
  readonly write: (ending: ExportEnding) => AsyncGenerator<Uint8Array | string>
}

/** Opens an export, so that an error in its first chunk is known before anything is sent. */
export async function openExport(
  spec: ExportSpec,
  context: ServiceContext,
  services: ExportServices,
): Promise<OpenedExport> {
  const { writer, received, after, version } = spec
  const start = { after, version, isOfDefinition: version !== undefined, received }
  const first = await readChunk(spec, start, context, services)
  const body = writer.open(tableOf(spec), services.tableFiles)
  context.defer(body.close)
  const pieces = await convert(body, first)
  const chunks = readChunks(spec, first, context, services)
  return {
    version: shownVersion(spec, first),
    write: (ending) => writeExport(spec, { first, pieces, chunks, body }, ending),
  }
}

interface BegunExport {
  readonly first: ExportChunk
  /** What was converted of the first chunk. */
  readonly pieces: Piece
  /** The chunks after the first. */
  readonly chunks: AsyncGenerator<ExportChunk>
  readonly body: ExportBody
}

/** The chunks that are read and converted while one is sent. */
const CHUNKS_AHEAD = 2

async function* writeExport(
  spec: ExportSpec,
  { first, pieces, chunks, body }: BegunExport,
  ending: ExportEnding,
): AsyncGenerator<Piece> {
  const { writer, objectType, received, size } = spec
  let count = received + first.count
  const convertNext = () => {
    const converting = chunks.next().then(({ value: chunk, done }) => {
      if (done) return undefined
      count += chunk.count
      return convert(body, chunk)
    })
    // Reaches the code that awaits it, if the export gets there.
    converting.catch(() => {})
    return converting
  }
  try {
    if (!spec.isContinuation) yield body.head()
    const converting: Promise<Piece | undefined>[] = [Promise.resolve(pieces)]
    for (;;) {
      while (converting.length <= CHUNKS_AHEAD) converting.push(convertNext())
      const converted = await converting.shift()
      if (converted === undefined) break
      if (converted.length > 0) yield converted
    }
    if (size !== undefined) refuseMissingObjects(objectType.apiName, count, size)
    if (isWhole(spec) && first.totalCount !== undefined) {
      refuseMissingObjects(objectType.apiName, count, first.totalCount)
    }
    yield await body.finish()
  } catch (error) {
    // The status is already sent.
    const errorBody = ending.fail(error)
    if (spec.endLine && writer.endLines) yield writer.endLines.failure(errorBody)
    return
  }
  ending.complete(count)
  if (spec.endLine && writer.endLines) yield writer.endLines.end(count, shownVersion(spec, first))
}

async function* readChunks(
  spec: ExportSpec,
  first: ExportChunk,
  context: ServiceContext,
  services: ExportServices,
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

/** Converts a chunk, whose memory is released at once. */
async function convert(body: ExportBody, chunk: ExportChunk): Promise<Piece> {
  try {
    return chunk.count === 0 ? '' : body.records(chunk)
  } finally {
    chunk.release()
  }
}

/** Returns the columns of an export, in the order of the selection. */
function tableOf({ objectType, selection }: ExportSpec): TableSpec {
  const { apiName, primaryKey, properties } = objectType
  const names = selection ?? [...properties.keys()]
  const columns = names.flatMap((name) => {
    const property = properties.get(name)
    const isRequired = name === primaryKey.apiName
    return property === undefined ? [] : [{ name, type: property.type, isRequired }]
  })
  return { name: apiName, columns }
}

interface ChunkStart extends Pick<ReadPageRequest, 'after' | 'version' | 'isOfDefinition'> {
  /** The number of objects before the chunk. */
  readonly received: number
}

/** The records of a chunk have checksums, which are compared before they are converted. */
interface ExportChunk extends StoredPage {
  readonly check: CheckOptions
}

async function readChunk(
  { objectType, query, order, selection, linkedVersions, size = Infinity }: ExportSpec,
  { received, ...start }: ChunkStart,
  context: ServiceContext,
  { objects }: ExportServices,
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
  context.noteRead([objectType], page.count)
  const check = {
    objectType: objectType.apiName,
    hasSelection: selection !== undefined,
    isInKeyOrder: order.length === 0,
    after: start.after?.pk,
  }
  return { ...page, check }
}

/** Throws if an export of all objects has another number of them than the type. */
export function refuseMissingObjects(objectType: string, exported: number, stored: number): void {
  if (exported === stored) return
  throw new ObjectQueryError('StoredObjectDamaged', {
    objectType,
    reason: `the type has ${stored} objects, and ${exported} were found`,
  })
}
