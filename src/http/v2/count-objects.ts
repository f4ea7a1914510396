import { Type } from 'typebox'
import { resolveTypePath } from '../../access/resolve.ts'
import { countObjectsOf } from '../../service/pages/count-objects.ts'
import type { App } from '../app.ts'
import { sendJson } from '../response/send-json.ts'
import { TypePath } from '../schemas/paths.ts'
import { responses } from '../schemas/responses.ts'
import { V2Parameters } from '../schemas/v2-parameters.ts'
import type { Services } from '../services.ts'

/** Adds `countObjects`. */
export function addCountObjects(app: App, services: Services): void {
  app.post(
    '/api/v2/ontologies/:ontology/objects/:objectType/count',
    {
      config: { scope: 'api:ontologies-read', writes: 'nothing' },
      schema: {
        operationId: 'countObjects',
        summary: 'Count objects (v2)',
        description: 'The number of current objects of a type. The request has no body.',
        tags: ['v2'],
        params: TypePath,
        querystring: V2Parameters,
        response: responses(Type.Object({ count: Type.Integer() })),
      },
    },
    async (request, reply) => {
      const { objectType } = resolveTypePath(request, request.params)
      const { context } = request
      const count = await countObjectsOf(objectType, context, services)
      context.noteRead([objectType], 0)
      return sendJson(reply, JSON.stringify({ count }))
    },
  )
}
