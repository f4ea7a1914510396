/** What API tokens and OAuth clients have in common: options, list columns and revocation. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { isScope, SCOPES, type Scope } from '../contract/scopes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { printMessage } from './output.ts'
import { parseList } from './service-options.ts'
import { recordCommand, withStore } from './store-commands.ts'

type Noun = 'token' | 'client'

/** The values of the options that limit a token or a client. */
export interface GrantOptions {
  readonly name: string
  readonly scope: Scope[]
  readonly ontology?: string[]
  readonly policy?: string[]
  readonly days?: number
}

/** Adds the options that limit a token or a client. */
export function addGrantOptions(create: Command, noun: Noun): Command {
  return create
    .addOption(
      new Option('--scope <scopes>', `comma-separated: ${SCOPE_NAMES}`)
        .argParser(parseScopes)
        .default([DEFAULT_SCOPE], DEFAULT_SCOPE),
    )
    .option('--ontology <names>', 'comma-separated API names or RIDs (default: all)', parseList)
    .option('--policy <names>', `comma-separated policies that limit the ${noun}`, parseList)
    .option('--days <days>', `days until the ${noun} expires (default: never)`, parseDays)
}

/** Returns what the options grant. */
export function readGrant({ name, scope, ontology, policy, days }: GrantOptions, nowMs: number) {
  const expiresAtMs = days === undefined ? undefined : nowMs + Math.round(days * DAY_MS)
  return { name, scopes: scope, ontologies: ontology, policies: policy, expiresAtMs }
}

interface Grant {
  readonly scopes: readonly Scope[]
  readonly ontologies: readonly string[] | undefined
  /** The policies of a client, or the lists of policies of a token. */
  readonly policies?: readonly (string | readonly string[])[] | undefined
  readonly expiresAtMs: number | undefined
}

/** Returns the columns of a list that say what is granted. */
export function grantColumns({ scopes, ontologies, policies, expiresAtMs }: Grant) {
  return {
    scopes: scopes.join(' '),
    ontologies: ontologies?.join(' ') ?? 'all',
    policies: policies?.flat().join(' ') ?? 'none',
    expires: expiresAtMs === undefined ? 'never' : new Date(expiresAtMs).toISOString(),
  }
}

/** Warns of ontologies and policies that do not exist: a misspelt name grants nothing. */
export async function warnOfUnknown(
  store: ObjectStore,
  { ontology = [], policy = [] }: GrantOptions,
  noun: Noun,
): Promise<void> {
  for (const name of policy) {
    if ((await store.documents.find('policy', name, Date.now())) !== undefined) continue
    printMessage(
      `there is no policy ${name}. The ${noun} gets its rights once it exists; \`oqs policy list\` lists the policies.`,
    )
  }
  if (ontology.length === 0) return
  const { index } = await store.readCatalogue({ named: [] })
  for (const name of ontology) {
    if (index.find(name) !== undefined) continue
    printMessage(
      `there is no ontology ${name}. The ${noun} will see it once it exists; \`oqs ontology show\` lists the ontologies.`,
    )
  }
}

/** Revokes by id or name and prints how many were revoked. Fails if there was none. */
export function revokeByName(
  noun: Noun,
  idOrName: string,
  revoke: (store: ObjectStore) => Promise<readonly string[]>,
): Promise<void> {
  return withStore(async (store) => {
    const revoked = await revoke(store)
    if (revoked.length === 0) {
      const what = noun === 'token' ? 'active token' : noun
      throw new Error(
        `there is no ${what} with the id or name ${idOrName}. List them with \`oqs ${noun} list\`.`,
      )
    }
    await recordCommand(store, noun === 'token' ? 'revokeApiToken' : 'revokeClient', revoked)
    process.stdout.write(`revoked ${revoked.length}\n`)
  })
}

const DEFAULT_SCOPE: Scope = 'api:ontologies-read'
const DAY_MS = 24 * 60 * 60 * 1000
const SCOPE_NAMES = Object.keys(SCOPES).join(', ')

function parseScopes(text: string): Scope[] {
  return parseList(text).map((scope) => {
    if (isScope(scope)) return scope
    throw new InvalidArgumentError(`Allowed scopes are ${SCOPE_NAMES}.`)
  })
}

function parseDays(text: string): number {
  const days = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || days <= 0 || days > 36_500) {
    throw new InvalidArgumentError('It must be a number above 0 and at most 36500.')
  }
  return days
}
