/** `exportObjects`: all objects of one version in one response. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type ResolvedType, resolveTypePath } from '../../access/find-visible.ts'
import { ShownVersion, shownProperties } from '../../access/ruled-objects.ts'
import { invalidArgument } from '../../contract/errors.ts'
import { EXPORT_FORMATS } from '../../contract/export-formats.ts'
import { closed, flag, text } from '../../contract/schema-parts.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { readObjectKey } from '../../ontology/values/read-object.ts'
import { parseQuery, type QueryContext } from '../../query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../../query/parse/revision-1-query-language.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-language.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'
import { sliceOf } from '../../service/exports/export-slice.ts'
import type { ExportSpec } from '../../service/exports/export-spec.ts'
import {
  CSV_WITHOUT_FORMULAS,
  EXPORT_WRITERS,
  NDJSON_WITH_DIGITS,
} from '../../service/exports/export-writers.ts'
import { endpoint } from '../endpoint.ts'
import {
  OrderParameter,
  readOrder,
  readSelection,
  SelectionParameter,
} from '../request/listing-parameters.ts'
import { acceptedFormat, EXPORT_CONTENT, sendExport } from '../response/send-export.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { listPage } from '../v2/list-parameters.ts'

/** The response of an endpoint that sends an export, for `openapi.json`. */
export const EXPORT_RESPONSE = {
  description:
    'One object per line, as JSON or CSV, or a file for Parquet, Arrow or Excel. The trailer field `oqs-count` contains their number.',
  content: EXPORT_CONTENT,
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
    newest: Type.Optional(
      flag('To resume as of now, in place of `version`: one that can no longer be read.'),
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
    escapeFormulas: Type.Optional(
      flag(
        'If true, CSV has an apostrophe before texts that a spreadsheet would run as formulas: those that start with `=`, `+`, `-`, `@`, a tab or a carriage return, and are no numbers.',
      ),
    ),
    decimalDigits: Type.Optional(
      flag(
        'If true, NDJSON begins with a line that states, by property, the precision and scale with room for all of its decimals: `{"$decimals":{"price":{"precision":9,"scale":2}}}`. Properties with more than 38 digits are absent.',
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
  const { format = 'ndjson', orderBy, select, version, after, received = 0, slice } = parameters
  const { objectType } = type
  const { endLine = false, newest = false, escapeFormulas, decimalDigits } = parameters
  if (escapeFormulas && format !== 'csv') {
    throw invalidArgument('escapeFormulas', `is possible with csv only, not with ${format}`)
  }
  if (decimalDigits && format !== 'ndjson') {
    throw invalidArgument('decimalDigits', `is possible with ndjson only, not with ${format}`)
  }
  const plain = decimalDigits ? NDJSON_WITH_DIGITS : EXPORT_WRITERS[format]
  const writer = escapeFormulas ? CSV_WITHOUT_FORMULAS : plain
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
  if (newest && after === undefined) {
    throw invalidArgument('newest', 'requires after: the key of the last object received')
  }
  if (newest && (version !== undefined || slice !== undefined)) {
    throw invalidArgument('newest', 'cannot be combined with version or slice')
  }
  if (after !== undefined && version === undefined && slice === undefined && !newest) {
    const reason = 'is required with after: the oqs-version of the interrupted export'
    throw invalidArgument('version', `${reason}; newest=true resumes as of now`)
  }
  if (received > 0 && after === undefined) {
    throw invalidArgument('received', 'requires after: the key of the last object received')
  }
  return {
    objectType,
    writer,
    order,
    query: readCondition(parameters, { ...type, limits: limits.query }),
    // A checked record has the whole body, so a caller who sees a part of it needs a selection.
    selection: readSelection(select, objectType) ?? shownProperties(objectType),
    // In key order, the key alone is the cursor.
    after: after === undefined ? undefined : { pk: keyOf(objectType, after), version: 0 },
    version: ShownVersion.named(objectType, version)?.number,
    received,
    isContinuation: after !== undefined,
    endLine,
  }
}

/** A condition is written in the language of revision 1.0 or of v2. */
function readCondition({ where, whereV2 }: ExportParameters, context: QueryContext): Query {
  if (where === undefined && whereV2 === undefined) return EVERYTHING
  if (whereV2 === undefined)
    return parseQuery(REVISION_1_QUERIES, parseJson('where', where), { ...context, path: 'where' })
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
    'Returns the objects in key order, or in that of `orderBy`, as NDJSON, CSV, Parquet, Arrow or Excel (`xlsx`); without `format`, as the media type in `Accept` that it knows. The trailer field `oqs-count` contains their number. If the export fails midway, the connection is closed before the end of the chunked body. With `endLine=true`, a last line contains the number or the error, for clients that cannot read trailer fields; an export without it is incomplete. To resume an interrupted export, send `version` (from the header `oqs-version`), `after` and `received`; the parts together equal the complete export, byte for byte; this is possible in key order, as NDJSON or CSV. If the version can no longer be read, `newest=true` in its place returns the rest as of now. If a policy hides a part of the type, the version is 0, and only `newest=true` resumes. With `slice`, it exports a part of a snapshot; to resume, repeat the `slice` and send `after` and `received`.',
  querystring: ExportParameters,
  response: { ...responses(Type.String()), 200: EXPORT_RESPONSE },
  handle: async (request, reply, services) => {
    const resolved = resolveTypePath(request, request.params)
    const { slice, select, where, whereV2, orderBy, version } = request.query
    const format = request.query.format ?? acceptedFormat(request.headers.accept) ?? 'ndjson'
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
