import { Type } from 'typebox'
import { resolveTypePath } from '../../access/resolve.ts'
import { recordShape } from '../../contract/object-record.ts'
import { closed } from '../../contract/schema-parts.ts'
import { findRecord, keyEquals, objectNotFound, readKey } from '../../service/pages/find-object.ts'
import type { App } from '../app.ts'
import { readSelection, SelectionParameter } from '../page/listing-parameters.ts'
import { sendJson } from '../response/send-json.ts'
import { ObjectPath } from '../schemas/paths.ts'
import { ObjectRecord } from '../schemas/records.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

/** Adds `getObject`. */
export function addGetObject(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objects/:objectType/:primaryKey',
    {
      config: { scope: 'api:ontologies-read', isPage: true },
      schema: {
        operationId: 'getObject',
        summary: 'Get an object (revision 1.0)',
        tags: ['Revision 1.0'],
        params: ObjectPath,
        querystring: Type.Object({ properties: SelectionParameter }, closed),
        response: readResponses(ObjectRecord),
      },
    },
    async (request, reply) => {
      const { primaryKey } = request.params
      const { objectType } = resolveTypePath(request, request.params)
      const selection = readSelection(request.query.properties, objectType)
      const key = readKey(objectType, primaryKey)
      if (key === undefined) throw objectNotFound(objectType, primaryKey)
      const spec = {
        objectType,
        query: keyEquals(objectType, key),
        shape: recordShape('1.0', objectType.apiName),
        selection,
      }
      const record = await findRecord(spec, request.context, services)
      if (record === undefined) throw objectNotFound(objectType, primaryKey)
      return sendJson(reply, record)
    },
  )
}
