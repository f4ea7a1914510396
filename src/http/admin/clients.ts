/** The OAuth clients of the service, as `oqs client` manages them. */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { redirectUriMistake } from '../../contract/redirect-uri.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import type { App } from '../app.ts'
import {
  type CreatedClient,
  createOAuthClient,
  findOAuthClient,
  listOAuthClients,
  type OAuthClient,
  revokeOAuthClient,
} from '../oauth/clients.ts'
import { applyOnce, type RecordResponse } from '../request/apply-once.ts'
import { KEYED, UNGUARDED } from '../request/write-guards.ts'
import { sendJson } from '../response/send-json.ts'
import { readPolicyNames } from '../rights/policies.ts'
import { NoParameters } from '../schemas/common.ts'
import { documentedWith } from '../schemas/documented.ts'
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

const REDIRECT_URIS_MAX = 100

const StoredClient = Type.Object({
  ...storedCredentialMembers,
  public: Type.Boolean({ description: 'True for a program that cannot keep a secret.' }),
  redirectUris: Type.Array(Type.String()),
})

const ClientBody = Type.Object(
  {
    ...credentialMembers,
    public: optional(
      Type.Boolean({
        description: 'For a program that cannot keep a secret, such as a web page or an app.',
      }),
    ),
    redirectUris: optional(
      Type.Array(documentedWith(Type.String(), { format: 'uri' }), {
        maxItems: REDIRECT_URIS_MAX,
        description: 'Where people are sent after signing in. Required for a public client.',
      }),
    ),
  },
  closed,
)

const ClientPath = Type.Object({ id: Type.String({ description: 'The id of the client.' }) })

/** Adds `listClients`, `createClient` and `revokeClient`. */
export function addClients(app: App, services: Services): void {
  const { store, now, credentialUses } = services
  app.get(
    '/api/admin/v1/clients',
    {
      config: { scope: ADMIN_SCOPE },
      schema: {
        operationId: 'listClients',
        summary: 'List the OAuth clients, without their secrets',
        tags: ['Administration'],
        querystring: NoParameters,
        response: readResponses(listOf(StoredClient.properties)),
      },
    },
    async (_request, reply) => {
      const nowMs = now()
      const [clients, uses] = await Promise.all([
        listOAuthClients(store, nowMs),
        credentialUses.readAll(nowMs),
      ])
      const data = clients.map((client) => ({
        ...describe(client),
        lastUsedAt: timeText(uses.get(client.id)),
      }))
      return sendJson(reply, JSON.stringify({ data }))
    },
  )
  app.post(
    '/api/admin/v1/clients',
    {
      config: { scope: ADMIN_SCOPE, writes: KEYED },
      schema: {
        operationId: 'createClient',
        summary: 'Create an OAuth client',
        tags: ['Administration'],
        querystring: NoParameters,
        body: ClientBody,
        response: responses(
          Type.Object({
            ...StoredClient.properties,
            clientSecret: Type.Optional(
              Type.String({
                description: 'It cannot be shown again. Absent for a public client.',
              }),
            ),
          }),
        ),
      },
    },
    async (request, reply) => {
      const { body, context } = request
      const nowMs = now()
      const create = async (record: RecordResponse) => {
        const isPublic = body.public === true
        const redirectUris = readRedirectUris(body.redirectUris ?? [], isPublic)
        const policies = await readPolicyNames(body.policies, store.documents, nowMs)
        const spec = { ...readCredential(body, nowMs), policies, isPublic, redirectUris }
        const render = ({ id, secret }: CreatedClient) =>
          JSON.stringify({ ...describe({ ...spec, id, createdAtMs: nowMs }), clientSecret: secret })
        const created = await createOAuthClient(store, spec, nowMs, (created) =>
          record(render(created), created.id),
        )
        context.writtenKeys = [created.id]
        return render(created)
      }
      const response = await applyOnce(request, reply, services, create, { isSecret: true })
      void reply.header('cache-control', 'no-store')
      return sendJson(reply, response)
    },
  )
  app.delete(
    '/api/admin/v1/clients/:id',
    {
      config: { scope: ADMIN_SCOPE, writes: UNGUARDED },
      schema: {
        operationId: 'revokeClient',
        summary: 'Revoke an OAuth client and all its tokens',
        tags: ['Administration'],
        params: ClientPath,
        querystring: NoParameters,
        response: responses(StoredClient),
      },
    },
    async ({ params: { id }, context }, reply) => {
      const client = await findOAuthClient(store.documents, id, now())
      if (client === undefined || !(await revokeOAuthClient(store, id, now()))) {
        throw new ObjectQueryError('OAuthClientNotFound', { client: id })
      }
      context.writtenKeys = [id]
      return sendJson(reply, JSON.stringify(describe(client)))
    },
  )
}

function readRedirectUris(uris: readonly string[], isPublic: boolean): readonly string[] {
  if (isPublic && uris.length === 0) {
    throw unprocessable('redirectUris', 'is empty; a public client needs at least one')
  }
  for (const [index, uri] of uris.entries()) {
    const mistake = redirectUriMistake(uri)
    if (mistake !== undefined) throw unprocessable(`redirectUris[${index}]`, mistake)
  }
  return uris
}

function describe(client: OAuthClient) {
  const { id, name, scopes, ontologies, policies, createdAtMs, expiresAtMs } = client
  const { isPublic, redirectUris } = client
  return {
    id,
    name,
    scopes,
    ontologies,
    policies,
    createdAt: timeText(createdAtMs),
    expiresAt: timeText(expiresAtMs),
    public: isPublic,
    redirectUris,
  }
}
