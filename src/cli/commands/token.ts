import type { Command } from 'commander'
import { addCredentialCommands, limitColumns, timeText } from '../credential-commands.ts'

/** Adds `oqs token`. */
export function addTokenCommand(program: Command): void {
  addCredentialCommands(program, {
    noun: 'token',
    title: 'API tokens',
    revocable: 'active token',
    actions: { create: 'createApiToken', revoke: 'revokeApiToken' },
    nameDescription: 'what the token is for',
    createDescription: 'Create a token and print its secret, which cannot be shown again.',
    revokeDescription: 'Revoke the token with this id, or all tokens with this name.',
    examples: {
      group: ['oqs token create --name me', 'oqs token list', 'oqs token revoke me'],
      create: [
        'oqs token create --name ci --scope api:ontologies-read --days 30',
        'oqs token create --name loader --scope api:ontologies-read,api:ontologies-write --ontology aviation',
      ],
      revoke: 'oqs token revoke ci',
    },
    path: '/api/admin/v1/tokens',
    create: async (store, spec, _options, nowMs) => {
      const { createApiToken } = await import('../../access/api-tokens.ts')
      const { secret, token } = await createApiToken(store, spec, nowMs)
      return { id: token.id, token: secret }
    },
    describe: ({ token }) => `${token}\n`,
    list: async (store, nowMs) => {
      const { tokenState } = await import('../../access/api-tokens.ts')
      return (await store.listApiTokens()).map((token) => ({
        ...token,
        expiresAt: timeText(token.expiresAtMs),
        state: tokenState(token, nowMs),
      }))
    },
    toRow: (token) => ({
      id: token.id,
      name: token.name,
      ...limitColumns(token),
      state: token.state ?? '',
    }),
    revoke: async (store, idOrName, nowMs) => {
      const { revokeApiTokensNamed } = await import('../../access/api-tokens.ts')
      return revokeApiTokensNamed(store, idOrName, nowMs)
    },
  })
}
