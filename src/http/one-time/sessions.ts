/** The endpoints that start and end the session of a browser. */
import { Type } from 'typebox'
import { endSession, startSession } from '../../access/sessions.ts'
import { closed } from '../../contract/schema-parts.ts'
import type { App } from '../app.ts'
import { UNGUARDED } from '../request/write-guards.ts'
import { NoParameters } from '../schemas/common.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

/** Adds `createSession`, which needs no token: the code is the credential. */
export function addCreateSession(app: App, { store, now }: Services): void {
  app.post(
    '/api/admin/v1/sessions',
    {
      config: { writes: UNGUARDED },
      schema: {
        operationId: 'createSession',
        summary: 'Exchange a one-time code for a bearer token',
        description:
          'The demo prints a link with such a code when it starts. A code works once, within ten minutes; any other gets 401 `InvalidOneTimeCode`.',
        tags: ['Administration'],
        security: [],
        querystring: NoParameters,
        body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
        response: responses(SessionResponse),
      },
    },
    async (request, reply) => {
      const { secret, expiresAtMs } = await startSession(store, request.body.code, now())
      void reply.header('cache-control', 'no-store')
      return { token: secret, expiresAt: new Date(expiresAtMs).toISOString() }
    },
  )
}

const SessionResponse = Type.Object({
  token: Type.String({ description: 'A bearer token. It cannot be shown again.' }),
  expiresAt: Type.String({ format: 'date-time' }),
})

/** Adds `endSession`, with which a browser that signs out leaves no valid token behind. */
export function addEndSession(app: App, { store, now }: Services): void {
  app.delete(
    '/api/admin/v1/sessions',
    {
      config: { scope: 'any', writes: UNGUARDED },
      schema: {
        operationId: 'endSession',
        summary: 'Revoke the API token of the request',
        description:
          'The admin token and tokens of an OpenID provider cannot be revoked here: 403 `ApiUsageDenied`.',
        tags: ['Administration'],
        querystring: NoParameters,
        response: responses(Type.Object({})),
      },
    },
    async ({ caller }) => {
      await endSession(store, caller, now())
      return {}
    },
  )
}
