/** What the commands that open the store themselves have in common. */
import { InvalidArgumentError, Option } from 'commander'
import { isScope, SCOPES, type Scope } from '../contract/scopes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { parseList } from './service-options.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

/** Runs a command on the store of the settings, which must exist. */
export async function withStore(work: (store: ObjectStore) => Promise<void>): Promise<void> {
  const [{ readConfig }, { openExistingStore }] = await Promise.all([
    import('../server/config.ts'),
    import('../server/open-store.ts'),
  ])
  const { OQS_STORE } = readConfig(process.env)
  await using store = await openExistingStore(OQS_STORE).catch((error: Error) => {
    // Other commands use OQS_URL, so its user may expect the same here.
    if (process.env['OQS_URL']) error.message += HINT
    throw error
  })
  await work(store)
}

const HINT = ' Token and client commands open the store in OQS_STORE and do not use OQS_URL.'

const DEFAULT_SCOPE: Scope = 'api:ontologies-read'

/** Creates `--scope`, whose value is a list of scopes. */
export function createScopeOption(): Option {
  return new Option('--scope <scopes>', `comma-separated: ${Object.keys(SCOPES).join(', ')}`)
    .argParser(parseScopes)
    .default([DEFAULT_SCOPE], DEFAULT_SCOPE)
}

function parseScopes(text: string): Scope[] {
  return parseList(text).map((scope) => {
    if (isScope(scope)) return scope
    throw new InvalidArgumentError(`Allowed scopes are ${Object.keys(SCOPES).join(', ')}.`)
  })
}

export function parseDays(text: string): number {
  const days = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || days <= 0 || days > 36_500) {
    throw new InvalidArgumentError('It must be a number above 0 and at most 36500.')
  }
  return days
}
