/** The OAuth clients of the service, as `oqs client` manages them. */
import { type Static, Type } from 'typebox'
import {
  createOAuthClient,
  listOAuthClients,
  type OAuthClient,
  revokeOAuthClient,
} from '../../access/oauth/clients.ts'
import { redirectUriMistake } from '../../contract/redirect-uri.ts'
import { closed, documentedWith, flag, optional, text } from '../../contract/schema-parts.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import {
  credentialMembers,
  readCredential,
  storedMembers,
  storedTexts,
} from './credential-schemas.ts'
import type { CredentialKind } from './credentials.ts'

const REDIRECT_URIS_MAX = 100

const ClientBody = Type.Object(
  {
    ...credentialMembers,
    public: optional(
      flag('For a program that cannot keep a secret, such as a web page or an app.'),
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

export const CLIENTS: CredentialKind<OAuthClient> = {
  path: 'clients',
  operations: {
    list: [
      'listClients',
      'List the OAuth clients, without their secrets',
      'Programs that get tokens for themselves, or for people who sign in.',
    ],
    create: [
      'createClient',
      'Create an OAuth client',
      'The response has the secret of a confidential client, of which the service keeps only a hash.',
    ],
    revoke: [
      'revokeClient',
      'Revoke an OAuth client and all its tokens',
      'The client and its tokens are rejected from the next request on, on all nodes.',
    ],
  },
  body: ClientBody,
  members: {
    ...storedMembers,
    public: flag('True for a program that cannot keep a secret.'),
    redirectUris: Type.Array(Type.String()),
  },
  secret: {
    name: 'clientSecret',
    schema: Type.Optional(text('It cannot be shown again. Absent for a public client.')),
  },
  notFound: (id) => ['OAuthClientNotFound', { client: id }],
  list: ({ store }, nowMs) => listOAuthClients(store, nowMs),
  create: async ({ store }, body, nowMs, record) => {
    const written = body as Static<typeof ClientBody>
    const isPublic = written.public === true
    const redirectUris = readRedirectUris(written.redirectUris ?? [], isPublic)
    const spec = await readCredential(written, store.documents, nowMs)
    const { client, secret } = await createOAuthClient(
      store,
      { ...spec, isPublic, redirectUris },
      nowMs,
      (created) => record({ stored: created.client, secret: created.secret }),
    )
    return { stored: client, secret }
  },
  revoke: ({ store }, id, nowMs) => revokeOAuthClient(store, id, nowMs),
  describe: (client) => {
    const { isPublic, redirectUris } = client
    return { ...storedTexts(client), public: isPublic, redirectUris }
  },
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
