import type { Command } from 'commander'
import type { Scope } from '../../contract/scopes.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { addExamples } from '../examples.ts'
import { writeRows } from '../output.ts'
import { parseList } from '../service-options.ts'
import { createScopeOption, DAY_MS, parseDays, withStore } from '../store-commands.ts'

/** Adds `oqs token`. Tokens are in the store; a running service sees changes at once. */
export function addTokenCommand(program: Command): void {
  const token = program.command('token').description('Create, list and revoke API tokens.')
  addExamples(token, 'oqs token create --name me', 'oqs token list', 'oqs token revoke me')

  const create = token
    .command('create')
    .description('Create a token and print its secret, which cannot be shown again.')
    .requiredOption('--name <name>', 'what the token is for')
    .addOption(createScopeOption())
    .option('--ontology <names>', 'comma-separated API names or RIDs (default: all)', parseList)
    .option('--days <days>', 'days until the token expires (default: never)', parseDays)
  addExamples(
    create,
    'oqs token create --name ci --scope api:ontologies-read --days 30',
    'oqs token create --name loader --scope api:ontologies-read,api:ontologies-write --ontology aviation',
  ).action(async ({ name, scope, ontology, days }: CreateOptions) => {
    const { createApiToken } = await import('../../server/api-token.ts')
    await withStore(async (store) => {
      const nowMs = Date.now()
      const expiresAtMs = days === undefined ? undefined : nowMs + days * DAY_MS
      const spec = { name, scopes: scope, ontologies: ontology, expiresAtMs }
      const { secret } = await createApiToken(store, spec, nowMs)
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
    await withStore(async (store) => {
      const revoked = await store.revokeApiTokens(idOrName, Date.now())
      if (revoked === 0) {
        throw new Error(
          `there is no active token with the id or name ${idOrName}. List them with \`oqs token list\`.`,
        )
      }
      process.stdout.write(`revoked ${revoked}\n`)
    })
  })
}

interface CreateOptions {
  readonly name: string
  readonly scope: Scope[]
  readonly ontology?: string[]
  readonly days?: number
}

async function listTokens(store: ObjectStore): Promise<void> {
  const tokens = await store.listApiTokens()
  await writeRows(
    tokens.map(({ id, name, scopes, ontologies, expiresAtMs, revokedAtMs }) => ({
      id,
      name,
      scopes: scopes.join(' '),
      ontologies: ontologies?.join(' ') ?? 'all',
      expires: expiresAtMs === undefined ? 'never' : new Date(expiresAtMs).toISOString(),
      state: stateOf(expiresAtMs, revokedAtMs),
    })),
  )
}

function stateOf(expiresAtMs: number | undefined, revokedAtMs: number | undefined): string {
  if (revokedAtMs !== undefined) return 'revoked'
  return expiresAtMs !== undefined && expiresAtMs <= Date.now() ? 'expired' : 'active'
}
