/** Browser sessions: a printed link signs a browser in once, and signing out ends the session. */
import { Type } from 'typebox'
import { createApiToken } from '../../access/api-tokens.ts'
import { newCode, redeemCode, storeCode } from '../../access/one-time-codes.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { closed } from '../../contract/schema-parts.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import type { App } from '../app.ts'
import { UNGUARDED } from '../request/write-guards.ts'
import { NoParameters } from '../schemas/common.ts'
import { responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'

const CODE_MS = 600_000

/** The API token that a code is exchanged for. */
export interface SessionSpec {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ontologies?: readonly string[] | undefined
  /** How long the token is valid, from the exchange on. */
  readonly tokenMs: number
}

/** Creates a code that can be exchanged for an API token, once and within ten minutes. */
export async function createSessionCode(
  { documents }: Pick<ObjectStore, 'documents'>,
  session: SessionSpec,
  nowMs: number,
): Promise<string> {
  const code = newCode()
  await storeCode(documents, 'session', code, session, { expiresAtMs: nowMs + CODE_MS })
  return code
}

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
      const nowMs = now()
      const body = await redeemCode(store.documents, 'session', request.body.code, nowMs)
      const { name, scopes, ontologies, tokenMs } = body as SessionSpec
      const expiresAtMs = nowMs + tokenMs
      const spec = { name, scopes, ontologies, expiresAtMs }
      const { secret } = await createApiToken(store, spec, nowMs)
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
    async ({ caller: { credential } }) => {
      if (credential.kind !== 'apiToken') {
        const reason = 'the token of this request is not an API token'
        throw new ObjectQueryError('ApiUsageDenied', { reason })
      }
      await store.revokeApiTokens([credential.tokenId], now())
      return {}
    },
  )
}
