/** The commands that create, list and revoke credentials: API tokens, and OAuth clients. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CredentialSpec } from '../access/api-tokens.ts'
import { type Connection, newIdempotencyKey } from '../client/connection.ts'
import { isScope, SCOPES, type Scope } from '../contract/scopes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import {
  addFormOptions,
  chooseForm,
  type FormOptions,
  printMessage,
  writeOut,
  writeRows,
} from './output.ts'
import {
  addExamples,
  addServiceOptions,
  parseList,
  type ServiceOptions,
} from './service-options.ts'
import { administer, type CommandAction, recordCommand } from './store-commands.ts'

/** A kind of credential, and how its commands differ from those of the other kind. */
export interface CredentialCommands<Options extends CredentialOptions> {
  readonly noun: 'token' | 'client'
  /** What the nouns of messages are: `API tokens`, and `active token` of those that can be revoked. */
  readonly title: string
  readonly revocable: string
  readonly actions: { readonly create: CommandAction; readonly revoke: CommandAction }
  readonly nameDescription: string
  readonly createDescription: string
  readonly revokeDescription: string
  readonly examples: {
    readonly group: readonly string[]
    readonly create: readonly string[]
    readonly revoke: string
  }
  /** Adds the options that only this kind has. */
  readonly addOptions?: (create: Command) => Command
  /** Returns why the options cannot be used together. */
  readonly findMistake?: (options: Options) => string | undefined
  /** The path of the endpoints that do the same on a service. */
  readonly path: `/api/admin/v1/${string}`
  /** The members of the request that only this kind has. */
  readonly bodyOf?: (options: Options) => object
  /** Creates a credential in a store; returns what an endpoint would. */
  readonly create: (
    store: ObjectStore,
    spec: CredentialSpec,
    options: Options,
    nowMs: number,
  ) => Promise<CreatedCredential>
  /** Returns what is printed of a new credential. */
  readonly describe: (created: CreatedCredential) => string
  readonly list: (store: ObjectStore, nowMs: number) => Promise<readonly ListedCredential[]>
  readonly toRow: (listed: ListedCredential) => Readonly<Record<string, string>>
  /** Revokes by id or name, and returns the ids. */
  readonly revoke: (
    store: ObjectStore,
    idOrName: string,
    nowMs: number,
  ) => Promise<readonly string[]>
}

/** A token or a client, as lists show it: a store's and, with these members, a service's. */
export interface ListedCredential {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ontologies?: readonly string[] | undefined
  /** The policies of a client, or the lists of policies of a token. */
  readonly policies?: readonly (string | readonly string[])[] | undefined
  readonly expiresAt?: string | undefined
  /** Of a token. */
  readonly state?: string
  /** Of a client. */
  readonly public?: boolean
  readonly redirectUris?: readonly string[]
}

interface CreatedCredential {
  readonly id: string
  /** The secret of a token. */
  readonly token?: string
  /** The secret of a client that can keep one. */
  readonly clientSecret?: string | undefined
}

interface ListOptions extends ServiceOptions, FormOptions {}

/** The values of the options that limit a token or a client. */
export interface CredentialOptions extends ServiceOptions {
  readonly name: string
  readonly scope: Scope[]
  readonly ontology?: string[]
  readonly policy?: string[]
  readonly days?: number
}

/** Adds the commands. Credentials are in the store, whose services see changes at once. */
export function addCredentialCommands<Options extends CredentialOptions>(
  program: Command,
  kind: CredentialCommands<Options>,
): void {
  const { noun, title, examples } = kind
  const group = program.command(noun).description(`Create, list and revoke ${title}.`)
  addExamples(group, ...examples.group)

  const create = group
    .command('create')
    .description(kind.createDescription)
    .requiredOption('--name <name>', kind.nameDescription)
  addServiceOptions(addLimits(kind.addOptions?.(create) ?? create, noun))
  addExamples(create, ...examples.create).action((options: Options, command: Command) =>
    createCredential(kind, options, command),
  )

  const list = group.command('list').description(`List all ${noun}s, without their secrets.`)
  addExamples(addServiceOptions(addFormOptions(list)), `oqs ${noun} list`).action(
    (options: ListOptions) => listCredentials(kind, options),
  )

  const revoke = group.command('revoke <idOrName>').description(kind.revokeDescription)
  addExamples(addServiceOptions(revoke), examples.revoke).action(
    (idOrName: string, options: ServiceOptions) => revokeCredentials(kind, idOrName, options),
  )
}

/** Adds the options that limit a token or a client. */
function addLimits(create: Command, noun: string): Command {
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

async function createCredential<Options extends CredentialOptions>(
  kind: CredentialCommands<Options>,
  options: Options,
  command: Command,
): Promise<void> {
  const mistake = kind.findMistake?.(options)
  if (mistake !== undefined) return command.error(`error: ${mistake}`, { exitCode: 2 })
  const { name, scope: scopes, ontology: ontologies, policy: policies, days } = options
  const created = await administer<CreatedCredential>(options, {
    onService: (connection) => {
      const json = { name, scopes, ontologies, policies, days, ...kind.bodyOf?.(options) }
      const headers = { 'idempotency-key': newIdempotencyKey() }
      return connection.send({ method: 'POST', path: kind.path, json, headers, isRepeatable: true })
    },
    onStore: async (store) => {
      const nowMs = Date.now()
      const expiresAtMs = days === undefined ? undefined : nowMs + Math.round(days * DAY_MS)
      const spec = { name, scopes, ontologies, policies, expiresAtMs }
      const credential = await kind.create(store, spec, options, nowMs)
      await recordCommand(store, kind.actions.create, [credential.id])
      await warnOfUnknown(store, options, kind.noun)
      return credential
    },
  })
  await writeOut(kind.describe(created))
}

async function listCredentials<Options extends CredentialOptions>(
  kind: CredentialCommands<Options>,
  options: ListOptions,
): Promise<void> {
  const listed = await administer(options, {
    onService: (connection) => listOfService(kind, connection),
    onStore: (store) => kind.list(store, Date.now()),
  })
  await writeRows(listed.map(kind.toRow), chooseForm(options))
}

async function listOfService<Options extends CredentialOptions>(
  { path }: CredentialCommands<Options>,
  connection: Connection,
): Promise<readonly ListedCredential[]> {
  const { data } = await connection.send<{ data: readonly ListedCredential[] }>({ path })
  return data
}

/** Warns of ontologies and policies that do not exist: a misspelt name grants nothing. */
async function warnOfUnknown(
  store: ObjectStore,
  { ontology = [], policy = [] }: CredentialOptions,
  noun: string,
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
async function revokeCredentials<Options extends CredentialOptions>(
  kind: CredentialCommands<Options>,
  idOrName: string,
  options: ServiceOptions,
): Promise<void> {
  const revoked = await administer(options, {
    onService: (connection) => revokeOfService(kind, idOrName, connection),
    onStore: async (store) => {
      const ids = await kind.revoke(store, idOrName, Date.now())
      if (ids.length > 0) await recordCommand(store, kind.actions.revoke, ids)
      return ids
    },
  })
  if (revoked.length === 0) {
    throw new Error(
      `there is no ${kind.revocable} with the id or name ${idOrName}. List them with \`oqs ${kind.noun} list\`.`,
    )
  }
  await writeOut(`revoked ${revoked.length}\n`)
}

async function revokeOfService<Options extends CredentialOptions>(
  kind: CredentialCommands<Options>,
  idOrName: string,
  connection: Connection,
): Promise<readonly string[]> {
  const listed = await listOfService(kind, connection)
  const matches = listed.filter(
    ({ id, name, state }) => (id === idOrName || name === idOrName) && state !== 'revoked',
  )
  for (const { id } of matches) {
    await connection.send({ method: 'DELETE', path: `${kind.path}/${encodeURIComponent(id)}` })
  }
  return matches.map(({ id }) => id)
}

/** Returns the columns of a list that say what a credential allows. */
export function limitColumns({ scopes, ontologies, policies, expiresAt }: ListedCredential) {
  return {
    scopes: scopes.join(' '),
    ontologies: ontologies?.join(' ') ?? 'all',
    policies: policies?.flat().join(' ') ?? 'none',
    expires: expiresAt ?? 'never',
  }
}

/** Returns a time as responses of the service have it. */
export function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
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
