/** `exportObjects`: all objects of one version in one response. */
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type ResolvedType, resolveTypePath } from '../../access/find-visible.ts'
import { isPartlyHidden, restrictionOf } from '../../access/policies/ruled-objects.ts'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import { EXPORT_FORMATS, EXPORT_TYPES, type ExportFormat } from '../../contract/export-formats.ts'
import { EXPORT_CHUNK_BYTES } from '../../contract/limits.ts'
import { closed, flag, text } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { readObjectKey } from '../../ontology/values/read-object.ts'
import { parseQuery, type QueryContext } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-types.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-types.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'
import { sliceOf } from '../../service/exports/export-slice.ts'
import { EXPORT_WRITERS } from '../../service/exports/export-writers.ts'
import {
  type ExportSpec,
  readChunk,
  shownVersion,
  writeExport,
} from '../../service/exports/write-export.ts'
import { endpoint } from '../endpoint.ts'
import {
  OrderParameter,
  readOrder,
  readSelection,
  SelectionParameter,
} from '../page/listing-parameters.ts'
import { lateErrorBody } from '../response/error-response.ts'
import { COUNT_TRAILER, VERSION_HEADER } from '../response/send-data.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { listPage } from '../v2/list-parameters.ts'

/** The response of an endpoint that sends an export, for `openapi.json`. */
export const EXPORT_RESPONSE = {
  description:
    'One object per line, as JSON or CSV, or a file for Parquet or Excel. The trailer field `oqs-count` contains their number.',
  content: Object.fromEntries(
    Object.values(EXPORT_TYPES).map((contentType) => [contentType, { schema: Type.String() }]),
  ),
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
  const heldBytes = 3 * EXPORT_CHUNK_BYTES + spec.writer.heldBytes
  const memory = services.memory.reserve(context.callerId, heldBytes)
  context.defer(() => memory.release())
  // Read before anything is sent, so that an error still has its own status.
  const start = {
    after: spec.after,
    version: spec.version,
    isOfDefinition: spec.version !== undefined,
    received: spec.received,
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

const ExportParameters = Type.Object(
  {
    format: Type.Optional(
      Type.Enum([...EXPORT_FORMATS], {
        description: 'Default: the one that `Accept` names, otherwise `ndjson`.',
      }),
    ),
    where: Type.Optional(text('A query of revision 1.0, as JSON. Default: all objects.')),
    whereV2: Type.Optional(text('A `where` of v2, as JSON. Excludes `where`.')),
    orderBy: OrderParameter,
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
    slice: Type.Optional(
      text(
        'A page token of `sliceObjects`: exports this slice only. Requires the same `select`, and excludes `where`, `whereV2` and `version`.',
      ),
    ),
    endLine: Type.Optional(
      flag(
        'If true, a last line states the number of objects or the error, in place of the trailer field `oqs-count`.',
      ),
    ),
  },
  closed,
)

export type ExportParameters = Static<typeof ExportParameters>

/** Parses and checks the parameters of an export. */
export function readExport(
  parameters: ExportParameters,
  type: ResolvedType,
  { limits }: Services,
): ExportSpec {
  const { format = 'ndjson', orderBy, select, version, after, received = 0 } = parameters
  const { objectType } = type
  const { endLine = false } = parameters
  const writer = EXPORT_WRITERS[format]
  const order = readOrder(orderBy, objectType)
  if (endLine && writer.endLines === undefined) {
    throw invalidArgument('endLine', `is not possible with ${format}, which has no lines`)
  }
  if (after !== undefined && writer.endLines === undefined) {
    throw invalidArgument('after', `is not possible with ${format}: start the export again`)
  }
  if (after !== undefined && order.length > 0) {
    throw invalidArgument('after', 'is not possible with orderBy: start the export again')
  }
  if (version !== undefined && isPartlyHidden(objectType)) {
    throw new ObjectQueryError('VersionNotFound', { version })
  }
  return {
    objectType,
    writer,
    order,
    query: readCondition(parameters, { ...type, limits: limits.query }),
    // A checked record has the whole body, so a caller who sees a part of it needs a selection.
    selection: readSelection(select, objectType) ?? restrictionOf(objectType)?.shown,
    // In key order, the key alone is the cursor.
    after: after === undefined ? undefined : { pk: keyOf(objectType, after), version: 0 },
    version,
    received,
    isContinuation: after !== undefined,
    endLine,
  }
}

/** Returns the format that a client accepts most; NDJSON if it names none. */
function acceptedFormat(accept = ''): ExportFormat {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { type, weight: Number(weight ?? 1) }
  })
  const known = ranges.flatMap(({ type, weight }) => {
    const format = EXPORT_FORMATS.find((name) => EXPORT_TYPES[name] === type)
    return format === undefined || !(weight > 0) ? [] : [{ format, weight }]
  })
  return known.toSorted((a, b) => b.weight - a.weight)[0]?.format ?? 'ndjson'
}

/** A condition is written in the language of revision 1.0 or of v2. */
function readCondition({ where, whereV2 }: ExportParameters, context: QueryContext): Query {
  if (where === undefined && whereV2 === undefined) return EVERYTHING
  if (whereV2 === undefined)
    return parseQuery(REVISION_1_QUERIES, parseJson('where', where), context)
  if (where !== undefined) throw invalidArgument('whereV2', 'cannot be combined with where')
  const path = 'whereV2'
  return parseQuery(V2_QUERIES, parseJson(path, whereV2), { ...context, path })
}

function parseJson(parameter: string, text = ''): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidArgument(parameter, 'is not JSON')
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

export const exportObjects = endpoint({
  route: 'GET /api/admin/v1/ontologies/:ontology/objects/:objectType/export',
  config: { scope: 'api:ontologies-read' },
  operationId: 'exportObjects',
  summary: 'Export all objects of one snapshot',
  description:
    'Returns the objects in key order, or in that of `orderBy`, as NDJSON, CSV, Parquet or Excel (`xlsx`); without `format`, as the media type in `Accept` that it knows. The trailer field `oqs-count` contains their number. If the export fails midway, the connection is closed before the end of the chunked body. With `endLine=true`, a last line contains the number or the error, for clients that cannot read trailer fields; an export without it is incomplete. To resume an interrupted export, send `version` (from the header `oqs-version`), `after` and `received`; the parts together equal the complete export, byte for byte; this is possible in key order, as NDJSON or CSV. If a policy hides a part of the type, the version is 0, and the export cannot be resumed. With `slice`, it exports a part of a snapshot; to resume, repeat the `slice` and send `after` and `received`.',
  querystring: ExportParameters,
  response: { ...responses(Type.String()), 200: EXPORT_RESPONSE },
  handle: async (request, reply, services) => {
    const resolved = resolveTypePath(request, request.params)
    const { slice, select, where, whereV2, orderBy, version } = request.query
    const format = request.query.format ?? acceptedFormat(request.headers.accept)
    const all = readExport({ ...request.query, format }, resolved, services)
    if (slice !== undefined && (where ?? whereV2 ?? orderBy ?? version) !== undefined) {
      throw invalidArgument('slice', 'cannot be combined with where, whereV2, orderBy or version')
    }
    void reply.header('vary', 'accept')
    const list = listPage(resolved, { ...(select !== undefined && { select }), snapshot: true })
    const spec = slice === undefined ? all : await sliceOf(request, all, { list, slice }, services)
    return sendExport(request as FastifyRequest, reply as FastifyReply, spec, services)
  },
})
