import { Type } from 'typebox'
import { recordShape } from '../../contract/object-record.ts'
import type { App } from '../app.ts'
import { closed, Properties, readResponses } from '../openapi/schemas.ts'
import { findRecord, hasKey, objectNotFound, readKey } from '../page/find-object.ts'
import { readSelection, SelectionParameter } from '../page/listing-parameters.ts'
import { resolveObjectType, resolveOntology } from '../request/resolve.ts'
import { sendJson } from '../response/send-json.ts'
import type { Services } from '../services.ts'

/** Get one object by its primary key, revision 1.0. */
export function addGetObject(app: App, services: Services): void {
  app.get(
    '/api/v1/ontologies/:ontology/objects/:objectType/:primaryKey',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObject',
        summary: 'Get an object (revision 1.0)',
        tags: ['Revision 1.0'],
        params: Type.Object({
          ontology: Type.String({ description: 'RID or API name of the ontology.' }),
          objectType: Type.String({ description: 'API name of the object type.' }),
          primaryKey: Type.String({ description: 'The primary key, as text.' }),
        }),
        querystring: Type.Object({ properties: SelectionParameter }, closed),
        response: readResponses(ObjectRecord),
      },
    },
    async (request, reply) => {
      const { ontology: identifier, objectType: apiName, primaryKey } = request.params
      const { catalogue } = request
      const ontology = resolveOntology(catalogue, request.caller, identifier)
      const { objectType } = resolveObjectType(ontology, apiName)
      const selection = readSelection(request.query.properties, objectType)
      const key = readKey(objectType, primaryKey)
      if (key === undefined) throw objectNotFound(objectType, primaryKey)
      const query = hasKey(objectType, key)
      const shape = recordShape('1.0', apiName)
      const record = await findRecord(
        { objectType, query, shape, selection },
        request.context,
        services,
      )
      if (record === undefined) throw objectNotFound(objectType, primaryKey)
      return sendJson(reply, record)
    },
  )
}

/** An object of revision 1.0. */
export const ObjectRecord = Type.Object(
  { rid: Type.String(), properties: Properties },
  {
    examples: [
      {
        rid: 'ri.phonograph2-objects.main.object.1c0f3a0e-52d3-8f6a-b0a4-7b3c1c6d9e21',
        properties: { id: 'ZRH', name: 'Zurich Airport', elevation: 432 },
      },
    ],
  },
)
