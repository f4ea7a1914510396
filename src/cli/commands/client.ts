import { type Command, InvalidArgumentError } from 'commander'
import { redirectUriMistake } from '../../contract/redirect-uri.ts'
import {
  addCredentialCommands,
  type CredentialOptions,
  limitColumns,
  timeText,
} from '../credential-commands.ts'

interface ClientOptions extends CredentialOptions {
  readonly public?: boolean
  readonly redirectUri?: readonly string[]
}

/** Adds `oqs client`. */
export function addClientCommand(program: Command): void {
  addCredentialCommands<ClientOptions>(program, {
    noun: 'client',
    title: 'OAuth clients',
    revocable: 'client',
    actions: { create: 'createClient', revoke: 'revokeClient' },
    nameDescription: 'what people see when they sign in',
    createDescription: 'Create a client and print its id and secret, which cannot be shown again.',
    revokeDescription: 'Revoke the client with this id, or all with this name, and all its tokens.',
    examples: {
      group: ['oqs client create --name reports', 'oqs client list', 'oqs client revoke reports'],
      create: [
        'oqs client create --name nightly --scope api:ontologies-read,api:ontologies-write --days 90',
        'oqs client create --name web --public --redirect-uri http://localhost:3000/callback',
      ],
      revoke: 'oqs client revoke nightly',
    },
    addOptions: (create) =>
      create
        .option('--public', 'a program that cannot keep a secret, such as a web page or an app')
        .option(
          '--redirect-uri <uri>',
          'where people are sent after signing in; repeatable',
          parseRedirectUri,
        ),
    findMistake: (options) =>
      options.public && options.redirectUri === undefined
        ? 'a public client needs --redirect-uri'
        : undefined,
    path: '/api/admin/v1/clients',
    bodyOf: ({ public: isPublic, redirectUri: redirectUris }) => ({
      public: isPublic,
      redirectUris,
    }),
    create: async (store, spec, options, nowMs) => {
      const { createOAuthClient } = await import('../../access/oauth/clients.ts')
      const { public: isPublic = false, redirectUri: redirectUris = [] } = options
      const created = await createOAuthClient(store, { ...spec, isPublic, redirectUris }, nowMs)
      return { id: created.client.id, clientSecret: created.secret }
    },
    describe: ({ id, clientSecret }) => {
      const secretLine = clientSecret === undefined ? '' : `client_secret ${clientSecret}\n`
      return `client_id ${id}\n${secretLine}`
    },
    list: async (store, nowMs) => {
      const { listOAuthClients } = await import('../../access/oauth/clients.ts')
      return (await listOAuthClients(store, nowMs)).map((client) => ({
        ...client,
        expiresAt: timeText(client.expiresAtMs),
        public: client.isPublic,
      }))
    },
    toRow: (client) => {
      const { expires, ...limits } = limitColumns(client)
      return {
        id: client.id,
        name: client.name,
        kind: client.public === true ? 'public' : 'confidential',
        ...limits,
        redirectUris: client.redirectUris?.join(' ') ?? '',
        expires,
      }
    },
    revoke: async (store, idOrName, nowMs) => {
      const { revokeOAuthClients } = await import('../../access/oauth/clients.ts')
      return revokeOAuthClients(store, idOrName, nowMs)
    },
  })
}

function parseRedirectUri(text: string, previous: readonly string[] = []): readonly string[] {
  const mistake = redirectUriMistake(text)
  if (mistake !== undefined) throw new InvalidArgumentError(`It cannot be used: ${mistake}.`)
  return [...previous, text]
}
