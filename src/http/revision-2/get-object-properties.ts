import { Type } from 'typebox'
import { closed } from '../../contract/schema-parts.ts'
import { findProperties } from '../../service/pages/find-object.ts'
import type { App } from '../app.ts'
import { sendJson } from '../response/send-json.ts'
import { FamilyObjectPath } from '../schemas/paths.ts'
import { readResponses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import { findByKey, objectNotFound, resolveKeySearch } from './find-by-key.ts'
import { keyParameters } from './parameters.ts'

/** Adds `getObjectProperties`. */
export function addGetObjectProperties(app: App, services: Services): void {
  app.get(
    '/api/:apiFamily/v1/objects/:primaryKey/properties',
    {
      config: { scope: 'api:ontologies-read' },
      schema: {
        operationId: 'getObjectProperties',
        summary: 'List the property values of an object (revision 2.0)',
        tags: ['Revision 2.0'],
        params: FamilyObjectPath,
        querystring: Type.Object(keyParameters, closed),
        response: readResponses(PropertiesResponse),
      },
    },
    async (request, reply) => {
      const search = resolveKeySearch(request)
      const { objectType, key } = await findByKey(search, request.context, services)
      const values = await findProperties(objectType, key, undefined, request.context, services)
      if (values === undefined) throw objectNotFound(search)
      const properties = [...objectType.properties.keys()].flatMap((name) =>
        entriesOf(name, values.get(name)),
      )
      return sendJson(reply, JSON.stringify({ properties }))
    },
  )
}

const PropertiesResponse = Type.Object({
  properties: Type.Array(
    Type.Object({
      propertyId: Type.String({
        description: 'Unique within the object: `NAME`, or `NAME:INDEX` for an array element.',
      }),
      propertyType: Type.String({ description: 'API name of the property.' }),
      value: Type.Unsafe<unknown>({ description: 'One value. An array has an entry per element.' }),
    }),
  ),
})

/** API names contain no colon, so the id of an array element never equals a property name. */
function entriesOf(propertyType: string, value: unknown): object[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) return [{ propertyId: propertyType, propertyType, value }]
  return value.map((element: unknown, index) => ({
    propertyId: `${propertyType}:${index}`,
    propertyType,
    value: element,
  }))
}
