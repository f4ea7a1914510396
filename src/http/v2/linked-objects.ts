import { flatRecordShape } from '../../contract/object-record.ts'
import { objectNotFound } from '../../service/pages/find-object.ts'
import { findLinkedRecord, followLink, linkEndpoint } from '../../service/pages/follow-link.ts'
import type { App } from '../app.ts'
import { readSelection } from '../page/listing-parameters.ts'
import { resolveLink } from '../page/resolve-link.ts'
import { servePage } from '../page/serve-page.ts'
import { sendJson } from '../response/send-json.ts'
import { LinkedObjectPath, LinkedObjectsPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { ListParameters, RecordParameters, readOrderText } from './parameters.ts'
import { FlatPage, FlatRecord } from './records.ts'

/** Adds `listLinkedObjectsV2`. */
export function addListLinkedObjects(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'listLinkedObjectsV2',
        summary: 'List linked objects (v2)',
        description:
          'Selection and order apply to the linked objects. If the start object is deleted, a snapshot walk continues and any other walk ends.',
        tags: ['v2'],
        params: LinkedObjectsPath,
        querystring: ListParameters,
        response: readResponses(FlatPage),
      },
    },
    async (request, reply) => {
      const { ontology, link } = resolveLink(request.params, request)
      const { objectType, linkedType } = link.side
      const { select, orderBy, excludeRid = false } = request.query
      const order = readOrderText(orderBy, linkedType)
      const selection = readSelection(select, linkedType)
      const query = await followLink(link, request.query, request.context, services)
      if (query === undefined) throw objectNotFound(objectType, request.params.primaryKey)
      const spec = {
        ontology,
        objectType: linkedType,
        endpoint: linkEndpoint(link),
        revision: 'v2',
        query,
        order,
        selection,
        excludeRid,
        paging: request.query,
        includeTotalCount: false,
      } as const
      return servePage(request, reply, spec, services)
    },
  )
}

/** Adds `getLinkedObjectV2`. */
export function addGetLinkedObject(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/objects/:objectType/:primaryKey/links/:linkType/:linkedObjectPrimaryKey',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getLinkedObjectV2',
        summary: 'Get a linked object (v2)',
        tags: ['v2'],
        params: LinkedObjectPath,
        querystring: RecordParameters,
        response: readResponses(FlatRecord),
      },
    },
    async (request, reply) => {
      const { select, excludeRid = false } = request.query
      const { link } = resolveLink(request.params, request)
      const { linkedType } = link.side
      const record = {
        shape: flatRecordShape(linkedType, { excludeRid }),
        selection: readSelection(select, linkedType),
      }
      const { params, context } = request
      return sendJson(reply, await findLinkedRecord(params, link, record, context, services))
    },
  )
}
