import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { EXPORT_FORMATS } from '../../contract/export-formats.ts'
import { EXPORT_CHUNK_BYTES, EXPORT_CHUNK_OBJECTS } from '../../contract/limits.ts'
import { PROPERTIES_RECORD } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { readObjectKey } from '../../ontology/values/read-object.ts'
import type { Query } from '../../query/query.ts'
import { readQuery } from '../../query/query-reader.ts'
import { REVISION_1_QUERIES } from '../../query/revision-1-query.ts'
import type { Selection } from '../../query/selection.ts'
import type { Cursor, ReadPageRequest, StoredPage } from '../../store/object-store.ts'
import type { App } from '../app.ts'
import { closed, responses, TypePath } from '../openapi/schemas.ts'
import { readSelection, SelectionParameter } from '../page/listing-parameters.ts'
import type { RequestScope } from '../request/admission.ts'
import { resolveTypePath } from '../request/resolve.ts'
import { describeError } from '../response/error-response.ts'
import type { Services } from '../services.ts'
import { EXPORT_WRITERS, type ExportWriter } from './export-writers.ts'

/**
 * All objects of one version in one answer, past every page size and cap. The store is read piece
 * by piece, as fast as the client takes them and no faster: nothing is held for a slow reader.
 */
export function addExportObjects(app: App, services: Services): void {
  app.get(
    '/api/admin/v1/ontologies/:ontology/objects/:objectType/export',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'exportObjects',
        summary: 'Export all objects of one snapshot',
        description:
          'In key order, as NDJSON or CSV. The last line counts the objects: an export without it was cut. The header `oqs-version` names the version; with `version`, `after` and `received` a broken export goes on where it ended, and the parts together have the bytes of the whole. A failure midway is the last line.',
        tags: ['Administration'],
        params: TypePath,
        querystring: ExportParameters,
        response: { ...responses(Type.String()), 200: ExportResponse },
      },
    },
    async (request, reply) => {
      const { context } = request
      const { objectType } = resolveTypePath(request, request.params)
      // One piece as it was read, one as it is written.
      const memory = services.memory.reserve(context.callerId, 2 * EXPORT_CHUNK_BYTES)
      context.defer(() => memory.release())
      const exported = readParameters(request.query, objectType, services)
      // Read before anything is sent, so that whatever is wrong still has a status of its own.
      const first = await readPiece(exported, exported.after, exported.version, context, services)
      // The framework would read a whole export for `HEAD`, and send none of it.
      const isHead = request.method === 'HEAD'
      if (isHead) first.release()
      const chunks = isHead
        ? []
        : writeExport(exported, first, context, services, (error) =>
            describeError(error, request as FastifyRequest, services),
          )
      void (reply as FastifyReply).header('oqs-version', first.version)
      return (reply as FastifyReply)
        .type(exported.writer.contentType)
        .send(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }))
    },
  )
}

const ExportResponse = {
  description: 'An object on each line, or a row of CSV; then the line that counts them.',
  content: Object.fromEntries(
    Object.values(EXPORT_WRITERS).map(({ contentType }) => [
      contentType,
      { schema: Type.String() },
    ]),
  ),
}

const ExportParameters = Type.Object(
  {
    format: Type.Optional(
      Type.Enum([...EXPORT_FORMATS], { description: '`ndjson` when left out.' }),
    ),
    where: Type.Optional(
      Type.String({ description: 'A query of revision 1.0, as JSON; all objects when left out.' }),
    ),
    select: SelectionParameter,
    version: Type.Optional(
      Type.Integer({ minimum: 0, description: 'To go on: `oqs-version` of what was received.' }),
    ),
    after: Type.Optional(
      Type.String({ description: 'To go on: the primary key of the last object received.' }),
    ),
    received: Type.Optional(
      Type.Integer({ minimum: 0, description: 'To go on: how many objects were received.' }),
    ),
  },
  closed,
)

interface Export {
  readonly objectType: ObjectType
  readonly writer: ExportWriter
  readonly query: Query
  readonly selection: Selection
  readonly after: Cursor | undefined
  readonly version: number | undefined
  readonly received: number
}

function readParameters(
  parameters: Static<typeof ExportParameters>,
  objectType: ObjectType,
  { limits }: Services,
): Export {
  const { format = 'ndjson', where, select, version, after, received = 0 } = parameters
  return {
    objectType,
    writer: EXPORT_WRITERS[format],
    query:
      where === undefined
        ? { kind: 'everything' }
        : readQuery(REVISION_1_QUERIES, parseWhere(where), { objectType, limits: limits.query }),
    selection: readSelection(select, objectType),
    // Exports are in key order, in which the key alone is the cursor.
    after: after === undefined ? undefined : { pk: keyOf(objectType, after), version: 0 },
    version,
    received,
  }
}

function parseWhere(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: 'where',
      reason: 'is not JSON',
    })
  }
}

function keyOf(objectType: ObjectType, text: string): string {
  try {
    return readObjectKey(objectType, text).pk
  } catch (error) {
    const { message: reason } = error as Error
    throw new ObjectQueryError('Default:InvalidArgument', { parameter: 'after', reason })
  }
}

async function* writeExport(
  exported: Export,
  first: StoredPage,
  context: RequestScope,
  services: Services,
  describe: (error: unknown) => string,
): AsyncGenerator<Buffer | string> {
  const { writer, objectType, selection } = exported
  const names = selection ?? [...objectType.properties.keys()]
  const { version } = first
  let count = exported.received
  try {
    if (exported.after === undefined) yield writer.head(names)
    for (let piece = first; ; ) {
      count += piece.count
      if (piece.count > 0) {
        const written = writer.records(piece.records, names)
        piece.release()
        yield written
      }
      if (!piece.more) break
      await services.admission.takeTurn(context.callerId)
      context.throwIfEnded()
      piece = await readPiece(exported, piece.last, version, context, services)
    }
  } catch (error) {
    // Nothing but a last line can tell of it now; the count, which is then missing, does so too.
    yield writer.failure(describe(error))
    return
  }
  yield writer.end(count, version)
}

async function readPiece(
  { objectType, query, selection }: Export,
  after: Cursor | undefined,
  version: number | undefined,
  context: RequestScope,
  { store }: Services,
): Promise<StoredPage> {
  const pageRequest: ReadPageRequest = {
    objectType,
    query,
    order: [],
    record: { shape: PROPERTIES_RECORD, selection, separator: '\n' },
    after,
    version,
    maxObjects: EXPORT_CHUNK_OBJECTS,
    maxBytes: EXPORT_CHUNK_BYTES,
    includeTotalCount: false,
    matchEstimate: undefined,
  }
  const page = await store.readPage(pageRequest, context)
  if (page === 'reclaimed') throw new ObjectQueryError('VersionNotFound', { version })
  return page
}
