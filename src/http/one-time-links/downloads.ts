/**
 * Downloads by a browser, which cannot send a bearer token with a link: a ticket stands for one export
 * of one caller, whose rights are checked again when the ticket is used.
 */
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { viewOf } from '../../access/authenticate.ts'
import { type CallerReference, findCaller, referTo } from '../../access/caller-reference.ts'
import { requireScope } from '../../access/caller-rights.ts'
import { resolveTypePath } from '../../access/find-visible.ts'
import { newCode, peekCode, redeemCode, storeCode } from '../../access/one-time-codes.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../../contract/export-formats.ts'
import { PROPERTIES_MAX } from '../../contract/limits.ts'
import { closed, optional, text, time } from '../../contract/schema-parts.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-language.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-language.ts'
import { EXPORT_RESPONSE, type ExportParameters, readExport } from '../admin/export-objects.ts'
import { endpoint } from '../endpoint.ts'
import { applyOnce, type RecordResponse } from '../request/apply-once.ts'
import { KEYED } from '../request/declare-guards.ts'
import { sendJson } from '../response/send-data.ts'
import { sendExport } from '../response/send-export.ts'
import { queryBody } from '../schemas/query-body.ts'
import { responses } from '../schemas/responses.ts'

const TICKET_MS = 60_000
const SCOPE = 'api:ontologies-read'
const DOWNLOADS = '/api/admin/v1/downloads'

const DownloadBody = Type.Object(
  {
    ontology: text('RID or API name of the ontology.'),
    objectType: text('API name of the object type.'),
    format: Type.Optional(
      Type.Unsafe<ExportFormat | null>({
        enum: [...EXPORT_FORMATS, null],
        description: 'Default: `ndjson`.',
      }),
    ),
    where: optional(queryBody(REVISION_1_QUERIES)),
    whereV2: optional(queryBody(V2_QUERIES)),
    select: optional(
      Type.Array(Type.String(), {
        maxItems: PROPERTIES_MAX,
        description: 'The properties to export. Default: all.',
      }),
    ),
    orderBy: optional(
      Type.String({
        description: 'The order of the objects, as in `exportObjects`. Default: key order.',
      }),
    ),
    version: optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The version to export, as `oqs-version` named it. Default: the newest.',
      }),
    ),
  },
  closed,
)

const DownloadResponse = Type.Object({
  path: text('The path of the download, relative to the service.'),
  expiresAt: time(),
})

export const createDownload = endpoint({
  route: `POST ${DOWNLOADS}`,
  config: { scope: SCOPE, writes: KEYED },
  operationId: 'createDownload',
  summary: 'Get a link that downloads an export once',
  description:
    'The link needs no bearer token, so that a browser can follow it. It works once, within 60 seconds, and only while the token that asked for it is valid. It returns what `exportObjects` returns, as a file.',
  body: DownloadBody,
  response: DownloadResponse,
  handle: async (request, reply, services) => {
    const { store, now } = services
    const { ontology, objectType: name } = request.body
    const path = { ontology, objectType: name }
    request.context.noteAudit({ namedType: path })
    // Checked now, so that a mistake is reported to the program and not to the person.
    const viewer = await viewOf(path, request, services)
    request.catalogue = viewer.catalogue
    const parameters = exportParameters(request.body)
    readExport(parameters, resolveTypePath(viewer, path), services)
    const ticket: Ticket = { path, parameters, owner: referTo(viewer.caller, services) }
    const expiresAtMs = now() + TICKET_MS
    const expiresAt = new Date(expiresAtMs).toISOString()
    const create = async (record: RecordResponse) => {
      const code = newCode()
      const json = JSON.stringify({ path: `${DOWNLOADS}/${code}`, expiresAt })
      const idempotencyKey = await record(json, 'download')
      await storeCode(store.documents, 'download', code, ticket, { expiresAtMs, idempotencyKey })
      return json
    }
    void reply.header('cache-control', 'no-store')
    return sendJson(reply, await applyOnce(request, reply, services, create, { isSecret: true }))
  },
})

/** Needs no token: the ticket is the credential. */
export const redeemDownload = endpoint({
  route: `GET ${DOWNLOADS}/:ticket`,
  config: {},
  operationId: 'download',
  summary: 'Download an export with a ticket',
  description:
    'Sends the export that `createDownload` described, for browsers, which cannot send a bearer token with a link. A ticket works once.',
  security: [],
  response: { ...responses(Type.String()), 200: EXPORT_RESPONSE },
  handle: async (request, reply, services) => {
    const { store, now } = services
    // Link previews and download managers ask for the headers first.
    const take = request.method === 'HEAD' ? peekCode : redeemCode
    const body = await take(store.documents, 'download', request.params.ticket, now())
    const { path, parameters, owner } = body as Ticket
    request.context.noteAudit({ namedType: path })
    const caller = await findCaller(owner, services)
    requireScope(caller, SCOPE)
    const catalogue = await store.readCatalogue({ named: [path] })
    const viewer = await viewOf(path, { caller, catalogue }, services)
    request.caller = viewer.caller
    request.catalogue = viewer.catalogue
    const resolved = resolveTypePath(request, path)
    const { ontology, objectType } = resolved
    const file = `${ontology.apiName}-${objectType.apiName}.${parameters.format ?? 'ndjson'}`
    void reply.header('content-disposition', `attachment; filename="${file}"`)
    const spec = readExport(parameters, resolved, services)
    return sendExport(request as FastifyRequest, reply, spec, services)
  },
})

/** What a ticket stands for. */
interface Ticket {
  readonly path: { readonly ontology: string; readonly objectType: string }
  readonly parameters: ExportParameters
  /** The caller that requested the ticket. */
  readonly owner: CallerReference
}

function exportParameters(body: Static<typeof DownloadBody>): ExportParameters {
  const { format, where, whereV2, orderBy, select, version } = body
  return {
    ...(format == null ? {} : { format }),
    ...(where == null ? {} : { where: JSON.stringify(where) }),
    ...(whereV2 == null ? {} : { whereV2: JSON.stringify(whereV2) }),
    ...(orderBy == null ? {} : { orderBy }),
    ...(select == null ? {} : { select }),
    ...(version == null ? {} : { version }),
  }
}
