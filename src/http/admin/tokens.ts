/** The API tokens of the service, as `oqs token` manages them. */

import { type Static, Type } from 'typebox'
import { createApiToken, revokeApiToken, tokenState } from '../../access/api-tokens.ts'
import { text, time } from '../../contract/schema-parts.ts'
import type { ApiToken } from '../../store/object-store.ts'
import { CredentialBody, readCredential, storedMembers, storedTexts } from './credential-schemas.ts'
import type { CredentialKind } from './credentials.ts'

export const TOKENS: CredentialKind<ApiToken> = {
  path: 'tokens',
  operations: {
    list: [
      'listTokens',
      'List the API tokens, without their secrets',
      'Also those that have expired or were revoked.',
    ],
    create: [
      'createApiToken',
      'Create an API token',
      'The response has the secret, of which the service keeps only a hash.',
    ],
    revoke: [
      'revokeApiToken',
      'Revoke an API token, and the tokens that OAuth clients have in its name',
      'The token is rejected from the next request on, on all nodes.',
    ],
  },
  body: CredentialBody,
  members: {
    ...storedMembers,
    revokedAt: Type.Optional(time()),
    state: Type.Enum(['active', 'expired', 'revoked']),
  },
  secret: {
    name: 'token',
    schema: text('The secret. It cannot be shown again.'),
  },
  notFound: (id) => ['ApiTokenNotFound', { token: id }],
  list: ({ store }) => store.listApiTokens(),
  create: async ({ store }, body, nowMs, record) => {
    const written = body as Static<typeof CredentialBody>
    const spec = await readCredential(written, store.documents, nowMs)
    const { token, secret } = await createApiToken(store, spec, nowMs, (created) =>
      record({ stored: created.token, secret: created.secret }),
    )
    return { stored: token, secret }
  },
  revoke: ({ store }, id, nowMs) => revokeApiToken(store, id, nowMs),
  describe: (token, nowMs) => ({ ...storedTexts(token), state: tokenState(token, nowMs) }),
}
