import { Type } from 'typebox'
import { recordShape } from '../../contract/object-record.ts'
import { closed } from '../../contract/schema-parts.ts'
import { findRecord, keyEquals } from '../../service/pages/find-object.ts'
import type { App } from '../app.ts'
import { sendJson } from '../response/send-json.ts'
import { FamilyObjectPath } from '../schemas/paths.ts'
import { FamilyRecord } from '../schemas/records.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { findByKey, objectNotFound, resolveKeySearch } from './find-by-key.ts'
import { keyParameters } from './parameters.ts'

/** Adds `getObjectByKey`. */
export function addGetObject(app: App, services: Services): void {
  app.get(
    '/api/:apiFamily/v1/objects/:primaryKey',
    {
      config: { scope: 'api:ontologies-read', isPage: true },
      schema: {
        operationId: 'getObjectByKey',
        summary: 'Get an object (revision 2.0)',
        tags: ['Revision 2.0'],
        params: FamilyObjectPath,
        querystring: Type.Object(keyParameters, closed),
        response: readResponses(FamilyRecord),
      },
    },
    async (request, reply) => {
      const search = resolveKeySearch(request)
      const { objectType, key } = await findByKey(search, request.context, services)
      const spec = {
        objectType,
        query: keyEquals(objectType, key),
        shape: recordShape('2.0', objectType.apiName),
        selection: undefined,
      }
      const record = await findRecord(spec, request.context, services)
      if (record === undefined) throw objectNotFound(search)
      return sendJson(reply, record)
    },
  )
}
