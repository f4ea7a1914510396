import { type Command, InvalidArgumentError } from 'commander'
import { redirectUriMistake } from '../../contract/redirect-uri.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { addExamples } from '../examples.ts'
import {
  addGrantOptions,
  type GrantOptions,
  grantColumns,
  readGrant,
  revokeByName,
  warnOfUnknown,
} from '../grant-options.ts'
import { writeRows } from '../output.ts'
import { recordCommand, withStore } from '../store-commands.ts'

/** Adds `oqs client`. OAuth clients are in the store; a running service sees changes at once. */
export function addClientCommand(program: Command): void {
  const client = program.command('client').description('Create, list and revoke OAuth clients.')
  addExamples(
    client,
    'oqs client create --name reports',
    'oqs client list',
    'oqs client revoke reports',
  )

  const create = client
    .command('create')
    .description('Create a client and print its id and secret, which cannot be shown again.')
    .requiredOption('--name <name>', 'what people see when they sign in')
    .option('--public', 'a program that cannot keep a secret, such as a web page or an app')
    .option(
      '--redirect-uri <uri>',
      'where people are sent after signing in; repeatable',
      parseRedirectUri,
    )
  addExamples(
    addGrantOptions(create, 'client'),
    'oqs client create --name nightly --scope api:ontologies-read,api:ontologies-write --days 90',
    'oqs client create --name web --public --redirect-uri http://localhost:3000/callback',
  ).action(createClient)

  addExamples(
    client.command('list').description('List all clients, without their secrets.'),
    'oqs client list',
  ).action(() => withStore(listClients))

  addExamples(
    client
      .command('revoke <idOrName>')
      .description('Revoke the client with this id, or all with this name, and all its tokens.'),
    'oqs client revoke nightly',
  ).action(revokeClient)
}

interface CreateOptions extends GrantOptions {
  readonly public?: boolean
  readonly redirectUri?: readonly string[]
}

async function createClient(options: CreateOptions, command: Command): Promise<void> {
  const { createOAuthClient } = await import('../../server/oauth-client.ts')
  const { redirectUri: redirectUris = [] } = options
  const isPublic = options.public === true
  if (isPublic && redirectUris.length === 0) {
    return command.error('error: a public client needs --redirect-uri', { exitCode: 2 })
  }
  await withStore(async (store) => {
    const nowMs = Date.now()
    const spec = { ...readGrant(options, nowMs), isPublic, redirectUris }
    const { id, secret } = await createOAuthClient(store, spec, nowMs)
    await recordCommand(store, 'createClient', [id])
    await warnOfUnknown(store, options, 'client')
    process.stdout.write(`client_id ${id}\n`)
    if (secret !== undefined) process.stdout.write(`client_secret ${secret}\n`)
  })
}

async function listClients(store: ObjectStore): Promise<void> {
  const { listOAuthClients } = await import('../../server/oauth-client.ts')
  const clients = await listOAuthClients(store, Date.now())
  await writeRows(
    clients.map((client) => {
      const { scopes, ontologies, policies, expires } = grantColumns(client)
      return {
        id: client.id,
        name: client.name,
        kind: client.isPublic ? 'public' : 'confidential',
        scopes,
        ontologies,
        policies,
        redirectUris: client.redirectUris.join(' '),
        expires,
      }
    }),
  )
}

async function revokeClient(idOrName: string): Promise<void> {
  const { revokeOAuthClients } = await import('../../server/oauth-client.ts')
  await revokeByName('client', idOrName, (store) => revokeOAuthClients(store, idOrName, Date.now()))
}

function parseRedirectUri(text: string, previous: readonly string[] = []): readonly string[] {
  const mistake = redirectUriMistake(text)
  if (mistake !== undefined) throw new InvalidArgumentError(`It cannot be used: ${mistake}.`)
  return [...previous, text]
}
