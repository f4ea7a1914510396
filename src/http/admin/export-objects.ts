/**
 * Exports all objects of one version in one response, without page size or retrieval limit. The
 * store is read in chunks, as fast as the client receives them, so a slow client costs no memory.
 */
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import { EXPORT_FORMATS } from '../../contract/export-formats.ts'
import { EXPORT_CHUNK_BYTES, EXPORT_CHUNK_OBJECTS } from '../../contract/limits.ts'
import { CHECKED_RECORD, CHECKED_SELECTION } from '../../contract/object-record.ts'
import { closed } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { readObjectKey } from '../../ontology/values/read-object.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-types.ts'
import type { Query } from '../../query/query.ts'
import { isPartlyHidden, restrictionOf } from '../../query/rights/restricted-type.ts'
import type { Selection } from '../../query/selection.ts'
import type { Cursor, ReadPageRequest, StoredPage } from '../../store/object-store.ts'
import type { App } from '../app.ts'
import { readSelection, SelectionParameter } from '../page/listing-parameters.ts'
import type { RequestScope } from '../request/admission.ts'
import { resolveTypePath } from '../request/resolve.ts'
import { COUNT_TRAILER, VERSION_HEADER } from '../response/data-headers.ts'
import { lateErrorBody } from '../response/error-response.ts'
import { TypePath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { checkRecords, refuseMissingObjects } from './checked-records.ts'
import { EXPORT_RESPONSE, EXPORT_WRITERS, type ExportWriter } from './export-writers.ts'

/** Adds `exportObjects`. */
export function addExportObjects(app: App, services: Services): void {
  app.get(
    '/api/admin/v1/ontologies/:ontology/objects/:objectType/export',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'exportObjects',
        summary: 'Export all objects of one snapshot',
        description:
          'Returns the objects in key order, as NDJSON or CSV. The trailer field `oqs-count` contains their number. If the export fails midway, the connection is closed before the end of the chunked body. With `endLine=true`, a last line contains the number or the error, for clients that cannot read trailer fields; an export without it is incomplete. To resume an interrupted export, send `version` (from the header `oqs-version`), `after` and `received`; the parts together equal the complete export, byte for byte. If a policy hides a part of the type, the version is 0, and the export cannot be resumed.',
        tags: ['Administration'],
        params: TypePath,
        querystring: ExportParameters,
        response: { ...responses(Type.String()), 200: EXPORT_RESPONSE },
      },
    },
    async (request, reply) => {
      const { objectType } = resolveTypePath(request, request.params)
      const spec = readExport(request.query, objectType, services)
      return sendExport(request as FastifyRequest, reply as FastifyReply, spec, services)
    },
  )
}

/** Sends an export. The request must have a caller. */
export async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  spec: ExportSpec,
  services: Services,
): Promise<FastifyReply> {
  const { context } = request
  // One chunk as read, which has the selected properties twice, and one as written.
  const memory = services.memory.reserve(context.callerId, 3 * EXPORT_CHUNK_BYTES)
  context.defer(() => memory.release())
  // Read before anything is sent, so that an error still has its own status.
  const start = {
    after: spec.after,
    version: spec.version,
    isOfDefinition: spec.version !== undefined,
  }
  const first = await readChunk(spec, start, context, services)
  // For `HEAD`, Fastify would read the whole export and send none of it.
  const isHead = request.method === 'HEAD'
  // Also if the client leaves before the first chunk is written; a second release has no effect.
  context.defer(() => first.release())
  const chunks = isHead
    ? []
    : writeExport(spec, first, context, services, {
        complete: (count) => {
          if (!spec.endLine) reply.raw.addTrailers({ [COUNT_TRAILER]: String(count) })
        },
        fail: (error) => {
          const body = lateErrorBody(error, request, services)
          if (!spec.endLine) breakOff(request.raw.socket)
          return body
        },
      })
  void reply.header(VERSION_HEADER, shownVersion(spec, first))
  // Only a chunked body, which HTTP/1.0 does not know, has trailer fields.
  const hasTrailer = !spec.endLine && !isHead && request.raw.httpVersion !== '1.0'
  if (hasTrailer) void reply.header('trailer', COUNT_TRAILER)
  return reply
    .type(spec.writer.contentType)
    .send(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }))
}

/**
 * Closes a connection in the middle of a response, so that no client takes it for complete. A body
 * of HTTP/1.0 ends with the connection, so only a reset shows that it is not complete.
 */
function breakOff(socket: Socket): void {
  try {
    socket.resetAndDestroy()
  } catch {
    // A TLS connection cannot be reset.
    socket.destroy()
  }
}

/** Returns 0 for a caller who sees only a part of the type: the version also counts hidden commits. */
function shownVersion({ objectType }: ExportSpec, { version }: StoredPage): number {
  return isPartlyHidden(objectType) ? 0 : version
}

const ExportParameters = Type.Object(
  {
    format: Type.Optional(Type.Enum([...EXPORT_FORMATS], { description: 'Default: `ndjson`.' })),
    where: Type.Optional(
      Type.String({ description: 'A query of revision 1.0, as JSON. Default: all objects.' }),
    ),
    select: SelectionParameter,
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'To resume: the `oqs-version` of the interrupted export.',
      }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'To resume: the primary key of the last object received.',
      }),
    ),
    received: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'To resume: the number of objects received.',
      }),
    ),
    endLine: Type.Optional(
      Type.Boolean({
        description:
          'If true, a last line states the number of objects or the error, in place of the trailer field `oqs-count`.',
      }),
    ),
  },
  closed,
)

export type ExportParameters = Static<typeof ExportParameters>

/** What to export, and how. */
export interface ExportSpec {
  readonly objectType: ObjectType
  readonly writer: ExportWriter
  readonly query: Query
  readonly selection: Selection
  readonly after: Cursor | undefined
  readonly version: number | undefined
  readonly received: number
  /** Whether the last line states how the export ended. */
  readonly endLine: boolean
}

/** How an export ends. */
interface ExportEnding {
  readonly complete: (count: number) => void
  /** Returns the body of the error. */
  readonly fail: (error: unknown) => string
}

/** Parses and checks the parameters of an export. */
export function readExport(
  parameters: ExportParameters,
  objectType: ObjectType,
  { limits }: Services,
): ExportSpec {
  const { format = 'ndjson', where, select, version, after, received = 0 } = parameters
  const { endLine = false } = parameters
  if (version !== undefined && isPartlyHidden(objectType)) {
    throw new ObjectQueryError('VersionNotFound', { version })
  }
  return {
    objectType,
    writer: EXPORT_WRITERS[format],
    query:
      where === undefined
        ? { kind: 'everything' }
        : parseQuery(REVISION_1_QUERIES, parseWhere(where), { objectType, limits: limits.query }),
    // A checked record has the whole body, so a caller who sees a part of it needs a selection.
    selection: readSelection(select, objectType) ?? restrictionOf(objectType)?.shown,
    // In key order, the key alone is the cursor.
    after: after === undefined ? undefined : { pk: keyOf(objectType, after), version: 0 },
    version,
    received,
    endLine,
  }
}

function parseWhere(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidArgument('where', 'is not JSON')
  }
}

function keyOf(objectType: ObjectType, text: string): string {
  try {
    return readObjectKey(objectType, text).pk
  } catch (error) {
    const { message: reason } = error as Error
    throw invalidArgument('after', reason)
  }
}

/** True if an export contains all objects of the newest version, whose number the store knows. */
function isWhole({ query, version, after, objectType }: ExportSpec): boolean {
  const isNewest = version === undefined && after === undefined
  return query.kind === 'everything' && isNewest && !isPartlyHidden(objectType)
}

async function* writeExport(
  spec: ExportSpec,
  first: StoredPage,
  context: RequestScope,
  services: Services,
  ending: ExportEnding,
): AsyncGenerator<Buffer | string> {
  const { writer, objectType, selection } = spec
  const names = selection ?? [...objectType.properties.keys()]
  const { version } = first
  let count = spec.received
  try {
    if (spec.after === undefined) yield writer.head(names)
    for (let chunk = first; ; ) {
      count += chunk.count
      const written = chunk.count > 0 ? writer.records(chunk.records, names) : undefined
      chunk.release()
      if (written !== undefined) yield written
      if (!chunk.more) break
      await services.admission.takeTurn(context.callerId)
      context.throwIfEnded()
      // Continues by its own cursor, also if the definition changes meanwhile.
      chunk = await readChunk(spec, { after: chunk.last, version }, context, services)
    }
    if (isWhole(spec) && first.totalCount !== undefined) {
      refuseMissingObjects(objectType.apiName, count, first.totalCount)
    }
  } catch (error) {
    // The status is already sent.
    const body = ending.fail(error)
    if (spec.endLine) yield writer.failure(body)
    return
  }
  ending.complete(count)
  if (spec.endLine) yield writer.end(count, shownVersion(spec, first))
}

async function readChunk(
  { objectType, query, selection }: ExportSpec,
  start: Pick<ReadPageRequest, 'after' | 'version' | 'isOfDefinition'>,
  context: RequestScope,
  { store }: Services,
): Promise<StoredPage> {
  const pageRequest: ReadPageRequest = {
    objectType,
    query,
    order: [],
    record: {
      shape: selection === undefined ? CHECKED_RECORD : CHECKED_SELECTION,
      selection,
      separator: '\n',
    },
    ...start,
    maxObjects: EXPORT_CHUNK_OBJECTS,
    maxBytes: EXPORT_CHUNK_BYTES,
    includeTotalCount: false,
    matchEstimate: undefined,
  }
  const page = await store.readPage(pageRequest, context)
  if (page === 'reclaimed')
    throw new ObjectQueryError('VersionNotFound', { version: start.version })
  context.noteRead([objectType], page.count)
  const checked = { objectType: objectType.apiName, hasSelection: selection !== undefined }
  const records = checkRecords(page.records, { ...checked, after: start.after?.pk })
  page.release()
  const release = () => {
    if (!records.buffer.detached) records.buffer.transfer(0)
  }
  return { ...page, records, release }
}
