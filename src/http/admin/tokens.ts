/** The API tokens of the service, as `oqs token` manages them. */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { closed } from '../../contract/schema-parts.ts'
import type { ApiToken } from '../../store/object-store.ts'
import type { App } from '../app.ts'
import { type CreatedToken, createApiToken } from '../request/api-token.ts'
import { applyOnce, type RecordResponse } from '../request/apply-once.ts'
import { KEYED, UNGUARDED } from '../request/write-guards.ts'
import { sendJson } from '../response/send-json.ts'
import { readPolicyNames } from '../rights/policies.ts'
import { NoParameters } from '../schemas/common.ts'
import { readResponses, responses } from '../schemas/responses.ts'
import type { Services } from '../services.ts'
import {
  credentialMembers,
  listOf,
  readCredential,
  storedCredentialMembers,
  timeText,
} from './credential-schemas.ts'
import { ADMIN_SCOPE } from './require-admin.ts'

const StoredToken = Type.Object({
  ...storedCredentialMembers,
  revokedAt: Type.Optional(Type.String({ format: 'date-time' })),
  state: Type.Enum(['active', 'expired', 'revoked']),
})

const TokenPath = Type.Object({ id: Type.String({ description: 'The id of the token.' }) })

/** Adds `listTokens`, `createToken` and `revokeToken`. */
export function addTokens(app: App, services: Services): void {
  const { store, now, credentialUses } = services
  app.get(
    '/api/admin/v1/tokens',
    {
      config: { scope: ADMIN_SCOPE },
      schema: {
        operationId: 'listTokens',
        summary: 'List the API tokens, without their secrets',
        tags: ['Administration'],
        querystring: NoParameters,
        response: readResponses(listOf(StoredToken.properties)),
      },
    },
    async (_request, reply) => {
      const nowMs = now()
      const [tokens, uses] = await Promise.all([
        store.listApiTokens(),
        credentialUses.readAll(nowMs),
      ])
      const data = tokens.map((token) => ({
        ...describe(token, nowMs),
        lastUsedAt: timeText(uses.get(token.id)),
      }))
      return sendJson(reply, JSON.stringify({ data }))
    },
  )
  app.post(
    '/api/admin/v1/tokens',
    {
      config: { scope: ADMIN_SCOPE, writes: KEYED },
      schema: {
        operationId: 'createApiToken',
        summary: 'Create an API token',
        tags: ['Administration'],
        querystring: NoParameters,
        body: Type.Object(credentialMembers, closed),
        response: responses(
          Type.Object({
            ...StoredToken.properties,
            token: Type.String({ description: 'The secret. It cannot be shown again.' }),
          }),
        ),
      },
    },
    async (request, reply) => {
      const { body, context } = request
      const nowMs = now()
      const create = async (record: RecordResponse) => {
        const policies = await readPolicyNames(body.policies, store.documents, nowMs)
        const spec = { ...readCredential(body, nowMs), policies }
        const render = ({ token, secret }: CreatedToken) =>
          JSON.stringify({ ...describe(token, nowMs), token: secret })
        const created = await createApiToken(store, spec, nowMs, (created) =>
          record(render(created), created.token.id),
        )
        context.writtenKeys = [created.token.id]
        return render(created)
      }
      const response = await applyOnce(request, reply, services, create, { isSecret: true })
      void reply.header('cache-control', 'no-store')
      return sendJson(reply, response)
    },
  )
  app.delete(
    '/api/admin/v1/tokens/:id',
    {
      config: { scope: ADMIN_SCOPE, writes: UNGUARDED },
      schema: {
        operationId: 'revokeApiToken',
        summary: 'Revoke an API token, and the tokens that OAuth clients have in its name',
        tags: ['Administration'],
        params: TokenPath,
        querystring: NoParameters,
        response: responses(StoredToken),
      },
    },
    async ({ params: { id }, context }, reply) => {
      const nowMs = now()
      const token = await store.findApiTokenById(id)
      const isOwn = token !== undefined && token.issue === undefined
      if (!isOwn || (await store.revokeApiTokens([id], nowMs)) === 0) {
        throw new ObjectQueryError('ApiTokenNotFound', { token: id })
      }
      context.writtenKeys = [id]
      return sendJson(reply, JSON.stringify(describe({ ...token, revokedAtMs: nowMs }, nowMs)))
    },
  )
}

function describe(token: ApiToken, nowMs: number) {
  const { id, name, scopes, ontologies, policies, createdAtMs, expiresAtMs, revokedAtMs } = token
  const isExpired = expiresAtMs !== undefined && expiresAtMs <= nowMs
  return {
    id,
    name,
    scopes,
    ontologies,
    policies: policies?.flat(),
    createdAt: timeText(createdAtMs),
    expiresAt: timeText(expiresAtMs),
    revokedAt: timeText(revokedAtMs),
    state: revokedAtMs !== undefined ? 'revoked' : isExpired ? 'expired' : 'active',
  }
}
