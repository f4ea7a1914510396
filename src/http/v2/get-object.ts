import { resolveTypePath } from '../../access/resolve.ts'
import { flatRecordShape } from '../../contract/object-record.ts'
import { findRecord, keyEquals, objectNotFound, readKey } from '../../service/pages/find-object.ts'
import type { App } from '../app.ts'
import { readSelection } from '../page/listing-parameters.ts'
import { sendJson } from '../response/send-json.ts'
import { ObjectPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { RecordParameters } from './parameters.ts'
import { FlatRecord } from './records.ts'

/** Adds `getObjectV2`. */
export function addGetObject(app: App, services: Services): void {
  app.get(
    '/api/v2/ontologies/:ontology/objects/:objectType/:primaryKey',
    {
      config: { scope: 'api:ontologies-read', isPage: true },
      schema: {
        operationId: 'getObjectV2',
        summary: 'Get an object (v2)',
        tags: ['v2'],
        params: ObjectPath,
        querystring: RecordParameters,
        response: readResponses(FlatRecord),
      },
    },
    async (request, reply) => {
      const { primaryKey } = request.params
      const { select, excludeRid = false } = request.query
      const { objectType } = resolveTypePath(request, request.params)
      const selection = readSelection(select, objectType)
      const key = readKey(objectType, primaryKey)
      if (key === undefined) throw objectNotFound(objectType, primaryKey)
      const spec = {
        objectType,
        query: keyEquals(objectType, key),
        shape: flatRecordShape(objectType, { excludeRid }),
        selection,
      }
      const record = await findRecord(spec, request.context, services)
      if (record === undefined) throw objectNotFound(objectType, primaryKey)
      return sendJson(reply, record)
    },
  )
}
