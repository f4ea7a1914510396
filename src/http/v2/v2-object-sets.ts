import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { requireScope } from '../../access/caller-rights.ts'
import { resolveOntology, type Viewer } from '../../access/find-visible.ts'
import { shownProperties } from '../../access/ruled-objects.ts'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import type { ExportFormat } from '../../contract/export-formats.ts'
import { TEMPORARY_OBJECT_SET_SECONDS } from '../../contract/limits.ts'
import { closed, namedObject, optional } from '../../contract/schema-parts.ts'
import type { SetPart } from '../../query/object-set/parse-object-set.ts'
import { parseSelection } from '../../query/parse/selection-v2.ts'
import { type ExportSpec, WHOLE_EXPORT } from '../../service/exports/export-spec.ts'
import { EXPORT_WRITERS } from '../../service/exports/export-writers.ts'
import {
  checkObjectSet,
  readRequestedSet,
  readSingleTypeSet,
} from '../../service/object-sets/read-object-set.ts'
import {
  commonType,
  pageParts,
  type RecordForm,
  setOrder,
  sortParts,
} from '../../service/object-sets/set-page-parts.ts'
import {
  findTemporarySet,
  TEMPORARY_SET_RID_PREFIX,
  type TemporarySet,
} from '../../service/object-sets/temporary-set.ts'
import type { Page, PagedRequest } from '../../service/pages/page.ts'
import { type SetPageSpec, typePage } from '../../service/pages/page-spec.ts'
import { readObjectPage } from '../../service/pages/read-object-page.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { applyOnce } from '../request/apply-once.ts'
import { KEYED } from '../request/declare-guards.ts'
import { sendJson, sendPage } from '../response/send-data.ts'
import { acceptedFormat, EXPORT_CONTENT, sendExport } from '../response/send-export.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { ObjectSet, pageMembers, readOrder, refuseRelevance } from './body-members.ts'
import { LocalImplementations, localImplementations } from './interface-metadata.ts'
import { CountedDollarPage, CountedFlatPage } from './v2-records.ts'

/** Required by clients; properties have no security of their own here. */
const PROPERTY_SECURITIES = '"propertySecurities":[]'

const loadPropertySecurities = optional(
  Type.Unsafe<false>({
    type: 'boolean',
    enum: [false, null],
    description: 'Must not be true: properties have no security of their own here.',
  }),
)

const LoadObjectsBody = namedObject(
  'LoadObjectsBody',
  { objectSet: ObjectSet, ...pageMembers, loadPropertySecurities },
  closed,
)

const LoadedPage = Type.Object({
  ...CountedFlatPage.properties,
  propertySecurities: Type.Array(Type.Unknown(), { maxItems: 0 }),
})

const ORDER = `Without \`orderBy\`, object types follow each other by API name, and objects by primary
key. With it, all objects are in one order; objects of a type without the property have no value for it.`

function refuseMixedViews(parts: readonly SetPart[]): void {
  const interfaceTypes = [...new Set(parts.map(({ view }) => view?.interfaceType))]
  if (interfaceTypes.length < 2) return
  throw new ObjectQueryError('IncompatibleNestedObjectSet', {
    parameter: 'objectSet',
    objectTypes: parts.map(({ objectType }) => objectType.apiName),
    reason: 'some objects are viewed as an interface and others are not, or as another one',
  })
}

/** Returns how each object type implements the interfaces as which the set is viewed. */
function mappingMembers(parts: readonly SetPart[]): string {
  const mappings: Record<string, Record<string, object>> = {}
  const mappingsV2: Record<string, Record<string, object>> = {}
  for (const { objectType, view } of parts) {
    if (view === undefined) continue
    const { interfaceType, properties } = view
    mappings[interfaceType] = {
      ...mappings[interfaceType],
      [objectType.apiName]: Object.fromEntries(properties),
    }
    mappingsV2[interfaceType] = {
      ...mappingsV2[interfaceType],
      [objectType.apiName]: localImplementations(properties),
    }
  }
  return [
    `"interfaceToObjectTypeMappings":${JSON.stringify(mappings)}`,
    `"interfaceToObjectTypeMappingsV2":${JSON.stringify(mappingsV2)}`,
    PROPERTY_SECURITIES,
  ].join()
}

const byInterface = { description: 'By interface type, object type and interface property.' }

const MultipleTypesPage = Type.Object({
  ...CountedDollarPage.properties,
  interfaceToObjectTypeMappings: Type.Record(
    Type.String(),
    Type.Record(Type.String(), Type.Record(Type.String(), Type.String())),
    byInterface,
  ),
  interfaceToObjectTypeMappingsV2: Type.Record(
    Type.String(),
    Type.Record(Type.String(), LocalImplementations),
    byInterface,
  ),
  propertySecurities: Type.Array(Type.Unknown(), { maxItems: 0 }),
})

/** A request for the objects of a set with several types. */
type SetRequest = Viewer &
  PagedRequest & {
    readonly params: { readonly ontology: string }
    readonly body: Static<typeof LoadObjectsBody>
  }

type ResolvedSet = Awaited<ReturnType<typeof resolveSet>>

async function resolveSet(request: SetRequest, services: Services) {
  const { body, caller, catalogue, context, params } = request
  const ontology = resolveOntology(catalogue, caller, params.ontology)
  const { parts, listedTypes } = await readRequestedSet(body, ontology, context, services)
  return { ontology, parts: sortParts(parts), listedTypes }
}

function readSetPage(
  request: SetRequest,
  { ontology, parts, listedTypes }: ResolvedSet,
  { asInterface }: Pick<RecordForm, 'asInterface'>,
  services: Services,
): Promise<Page> {
  const { body } = request
  const order = refuseRelevance(readOrder(body.orderBy, commonType(parts, ontology)))
  const form = { asInterface, prefix: '$', excludeRid: body.excludeRid ?? false } as const
  const spec: SetPageSpec = {
    kind: 'set',
    endpoint: asInterface ? 'loadObjectsOrInterfaces' : 'loadObjectsMultipleObjectTypes',
    ontology,
    parts: pageParts(parts, body, form, ontology),
    order: setOrder(order, parts, ontology),
    paging: body,
    listedTypes,
    includeTotalCount: true,
  }
  return readObjectPage(request, spec, services)
}

/** Returns the export of a set, which has no pages. */
function exportOfSet(
  { objectType, query }: SetPart,
  body: Static<typeof LoadObjectsBody>,
  format: ExportFormat,
): ExportSpec {
  for (const name of ['pageToken', 'pageSize'] as const) {
    if (body[name] != null) {
      throw invalidArgument(name, `is not possible with ${format}: the response has all objects`)
    }
  }
  const { order, isByRelevance } = readOrder(body.orderBy, objectType)
  if (isByRelevance) {
    const reason = 'an export cannot be ordered by relevance'
    throw new ObjectQueryError('InvalidOrderType', { orderType: 'relevance', reason })
  }
  return {
    objectType,
    query,
    order,
    writer: EXPORT_WRITERS[format],
    ...WHOLE_EXPORT,
    selection: parseSelection(body, objectType) ?? shownProperties(objectType),
  }
}

export const v2ObjectSets: readonly Endpoint[] = [
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objectSets/loadObjects',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'loadObjects',
    summary: 'Load the objects of an object set',
    description:
      'The objects must be of one type. A page can be shorter than `pageSize`: only an absent `nextPageToken` marks the last one. If `Accept` names a format of exports, such as Arrow or Parquet, the response is an export of all objects of the set.',
    body: LoadObjectsBody,
    response: {
      ...responses(LoadedPage),
      200: {
        description: 'A page, or with another `Accept` all objects.',
        content: { 'application/json': { schema: LoadedPage }, ...EXPORT_CONTENT },
      },
    },
    handle: async (request, reply, services) => {
      const { body, context } = request
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const { part, listedTypes } = await readSingleTypeSet(body, ontology, context, services)
      const { objectType, query } = part
      const format = acceptedFormat(request.headers.accept)
      if (format !== undefined) {
        const spec = exportOfSet(part, body, format)
        return sendExport(request as FastifyRequest, reply as FastifyReply, spec, services)
      }
      const spec = typePage({
        ontology,
        objectType,
        revision: 'v2',
        endpoint: 'loadObjects',
        query,
        ...readOrder(body.orderBy, objectType),
        selection: parseSelection(body, objectType),
        excludeRid: body.excludeRid ?? false,
        paging: body,
        listedTypes,
        includeTotalCount: true,
      })
      return sendPage(reply, await readObjectPage(request, spec, services), PROPERTY_SECURITIES)
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objectSets/loadObjectsMultipleObjectTypes',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'loadObjectsMultipleObjectTypes',
    summary: 'Load the objects of an object set with several types',
    description: `Objects have the properties of their type, under its names. Objects of an interface have those that implement it and their primary key, or all with \`includeAllBaseObjectProperties\`.\n\n${ORDER}`,
    body: LoadObjectsBody,
    response: MultipleTypesPage,
    handle: async (request, reply, services) => {
      const set = await resolveSet(request, services)
      const page = await readSetPage(request, set, { asInterface: false }, services)
      return sendPage(reply, page, mappingMembers(set.parts))
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objectSets/loadObjectsOrInterfaces',
    config: { scope: 'api:ontologies-read', writes: 'nothing' },
    operationId: 'loadObjectsOrInterfaces',
    summary: 'Load the objects of an object set as an interface',
    description: `Objects of an interface have the properties of the interface, under its names; other objects have those of their type. A set cannot contain both.\n\n${ORDER}`,
    body: Type.Object({ objectSet: ObjectSet, ...pageMembers }, closed),
    response: CountedDollarPage,
    handle: async (request, reply, services) => {
      const set = await resolveSet(request, services)
      refuseMixedViews(set.parts)
      return sendPage(reply, await readSetPage(request, set, { asInterface: true }, services))
    },
  }),
  endpoint({
    route: 'POST /api/v2/ontologies/:ontology/objectSets/createTemporary',
    config: { scope: 'api:ontologies-write', writes: KEYED },
    operationId: 'createTemporaryObjectSet',
    summary: 'Create a temporary object set',
    description: `Stores the definition of an object set for ${TEMPORARY_OBJECT_SET_SECONDS / 60} minutes; its objects are not stored. Requires the scopes \`api:ontologies-read\` and \`api:ontologies-write\`.`,
    body: Type.Object({ objectSet: ObjectSet }, closed),
    response: Type.Object({ objectSetRid: Type.String() }),
    handle: async (request, reply, services) => {
      requireScope(request.caller, 'api:ontologies-read')
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const { objectSet } = request.body
      // Refuses a set that no request could use.
      await checkObjectSet(objectSet, ontology, services)
      const response = await applyOnce(request, reply, services, async (record) => {
        const id = services.newUuid()
        const bytes = Buffer.byteLength(JSON.stringify(objectSet))
        const { rid: ontologyRid, viewId } = ontology
        const body: TemporarySet = { ontologyRid, viewId, objectSet, bytes }
        const expiresAtMs = services.now() + TEMPORARY_OBJECT_SET_SECONDS * 1000
        const json = JSON.stringify({ objectSetRid: TEMPORARY_SET_RID_PREFIX + id })
        const document = { kind: 'temporaryObjectSet', id, body, expiresAtMs } as const
        const idempotencyKey = await record(json)
        await services.store.documents.put(
          document,
          request.context,
          idempotencyKey && { idempotencyKey },
        )
        return json
      })
      return sendJson(reply, response)
    },
  }),
  endpoint({
    route: 'GET /api/v2/ontologies/:ontology/objectSets/:objectSetRid',
    config: { scope: 'api:ontologies-read' },
    operationId: 'getObjectSet',
    summary: 'Get a temporary object set',
    description: 'Returns the set as `createTemporaryObjectSet` took it, for one hour.',
    response: ObjectSet,
    handle: async (request, reply, services) => {
      const { objectSetRid } = request.params
      const ontology = resolveOntology(request.catalogue, request.caller, request.params.ontology)
      const found = await findTemporarySet(objectSetRid, ontology, services)
      if (found === undefined) throw new ObjectQueryError('ObjectSetNotFound', { objectSetRid })
      return sendJson(reply, JSON.stringify(found.objectSet))
    },
  }),
]
