import type { Command } from 'commander'
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

/** Adds `oqs token`. Tokens are in the store; a running service sees changes at once. */
export function addTokenCommand(program: Command): void {
  const token = program.command('token').description('Create, list and revoke API tokens.')
  addExamples(token, 'oqs token create --name me', 'oqs token list', 'oqs token revoke me')

  const create = token
    .command('create')
    .description('Create a token and print its secret, which cannot be shown again.')
    .requiredOption('--name <name>', 'what the token is for')
  addExamples(
    addGrantOptions(create, 'token'),
    'oqs token create --name ci --scope api:ontologies-read --days 30',
    'oqs token create --name loader --scope api:ontologies-read,api:ontologies-write --ontology aviation',
  ).action(async (options: GrantOptions) => {
    const { createApiToken } = await import('../../server/api-token.ts')
    await withStore(async (store) => {
      const nowMs = Date.now()
      const { secret, token } = await createApiToken(store, readGrant(options, nowMs), nowMs)
      await recordCommand(store, 'createApiToken', [token.id])
      await warnOfUnknown(store, options, 'token')
      process.stdout.write(`${secret}\n`)
    })
  })

  addExamples(
    token.command('list').description('List all tokens, without their secrets.'),
    'oqs token list',
  ).action(() => withStore(listTokens))

  addExamples(
    token
      .command('revoke <idOrName>')
      .description('Revoke the token with this id, or all tokens with this name.'),
    'oqs token revoke ci',
  ).action(async (idOrName: string) => {
    const { revokeApiTokensNamed } = await import('../../server/api-token.ts')
    await revokeByName('token', idOrName, (store) =>
      revokeApiTokensNamed(store, idOrName, Date.now()),
    )
  })
}

async function listTokens(store: ObjectStore): Promise<void> {
  const tokens = await store.listApiTokens()
  await writeRows(
    tokens.map((token) => ({
      id: token.id,
      name: token.name,
      ...grantColumns(token),
      state: stateOf(token.expiresAtMs, token.revokedAtMs),
    })),
  )
}

function stateOf(expiresAtMs: number | undefined, revokedAtMs: number | undefined): string {
  if (revokedAtMs !== undefined) return 'revoked'
  return expiresAtMs !== undefined && expiresAtMs <= Date.now() ? 'expired' : 'active'
}
