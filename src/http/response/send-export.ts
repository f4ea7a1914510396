/** Sends exports: all objects of one version in one response. */
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { EXPORT_FORMATS, EXPORT_TYPES, type ExportFormat } from '../../contract/export-formats.ts'
import { EXPORT_CHUNK_BYTES } from '../../contract/limits.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import type { ExportSpec } from '../../service/exports/export-spec.ts'
import { openExport } from '../../service/exports/write-export.ts'
import type { Services } from '../services.ts'
import { lateErrorBody } from './error-response.ts'
import { COUNT_TRAILER, VERSION_HEADER } from './send-data.ts'

/** The bodies of exports, for `openapi.json`. */
export const EXPORT_CONTENT = Object.fromEntries(
  Object.values(EXPORT_TYPES).map((contentType) => [contentType, { schema: Type.String() }]),
)

/** Returns the format that a client accepts most; undefined if it names none. */
export function acceptedFormat(accept = ''): ExportFormat | undefined {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { type, weight: Number(weight ?? 1) }
  })
  const known = ranges.flatMap(({ type, weight }) => {
    const format = EXPORT_FORMATS.find((name) => EXPORT_TYPES[name] === type)
    return format === undefined || !(weight > 0) ? [] : [{ format, weight }]
  })
  return known.toSorted((a, b) => b.weight - a.weight)[0]?.format
}

/** Sends an export. The request must have a caller. */
export async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  requested: ExportSpec,
  services: Services,
): Promise<FastifyReply> {
  const { context } = request
  // For `HEAD`, Fastify would read the whole export and send none of it.
  const isHead = request.method === 'HEAD'
  // The same moment for every chunk.
  const query = resolveRelativeDates(requested.query, services.now())
  const spec = { ...requested, query, omitsBody: isHead }
  // One chunk as written, and three as read, which have the selected properties twice.
  const heldBytes = 7 * EXPORT_CHUNK_BYTES + spec.writer.heldBytes
  const memory = services.memory.reserve(context.callerId, heldBytes)
  context.defer(() => memory.release())
  const opened = await openExport(spec, context, services)
  const chunks = isHead
    ? []
    : opened.write({
        complete: (count) => {
          if (!spec.endLine) reply.raw.addTrailers({ [COUNT_TRAILER]: String(count) })
        },
        fail: (error) => {
          const body = lateErrorBody(error, request, services)
          if (!spec.endLine) breakOff(request.raw.socket)
          return body
        },
      })
  // Not kept by browsers: it has no entity tag, and is as large as the objects.
  void reply.headers({ [VERSION_HEADER]: opened.version?.number ?? 0, 'cache-control': 'no-store' })
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
