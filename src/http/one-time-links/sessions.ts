/** The endpoints that start and end the session of a browser. */
import { Type } from 'typebox'
import { endSession, startSession } from '../../access/sessions.ts'
import { closed, text, time } from '../../contract/schema-parts.ts'
import { endpoint } from '../endpoint.ts'
import { UNGUARDED } from '../request/declare-guards.ts'

const SESSIONS = '/api/admin/v1/sessions'

/** Needs no token: the code is the credential. */
export const createSession = endpoint({
  route: `POST ${SESSIONS}`,
  config: { writes: UNGUARDED },
  operationId: 'createSession',
  summary: 'Exchange a one-time code for a bearer token',
  description:
    'The demo prints a link with such a code when it starts. A code works once, within ten minutes; any other gets 401 `InvalidOneTimeCode`.',
  security: [],
  body: Type.Object({ code: Type.String({ minLength: 1, maxLength: 200 }) }, closed),
  response: Type.Object({
    token: text('A bearer token. It cannot be shown again.'),
    expiresAt: time(),
  }),
  handle: async (request, reply, { store, now }) => {
    const { secret, expiresAtMs } = await startSession(store, request.body.code, now())
    void reply.header('cache-control', 'no-store')
    return { token: secret, expiresAt: new Date(expiresAtMs).toISOString() }
  },
})

/** A browser that signs out leaves no valid token behind. */
export const deleteSession = endpoint({
  route: `DELETE ${SESSIONS}`,
  config: { scope: 'any', writes: UNGUARDED },
  operationId: 'endSession',
  summary: 'Revoke the API token of the request',
  description:
    'The admin token and tokens of an OpenID provider cannot be revoked here: 403 `ApiUsageDenied`.',
  response: Type.Object({}),
  handle: async ({ caller }, _reply, { store, now }) => {
    await endSession(store, caller, now())
    return {}
  },
})
