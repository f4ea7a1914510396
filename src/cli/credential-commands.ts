/** The commands that create, list and revoke credentials: API tokens, and OAuth clients. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CredentialSpec } from '../access/api-tokens.ts'
import { isScope, SCOPES, type Scope } from '../contract/scopes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { printMessage, writeOut, writeRows } from './output.ts'
import { addExamples, parseList } from './service-options.ts'
import { type CommandAction, recordCommand, withStore } from './store-commands.ts'

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
  /** Creates a credential and returns its id, and what is printed. */
  readonly create: (
    store: ObjectStore,
    spec: CredentialSpec,
    options: Options,
    nowMs: number,
  ) => Promise<{ readonly id: string; readonly text: string }>
  readonly list: (
    store: ObjectStore,
    nowMs: number,
  ) => Promise<readonly Readonly<Record<string, string>>[]>
  /** Revokes by id or name, and returns the ids. */
  readonly revoke: (
    store: ObjectStore,
    idOrName: string,
    nowMs: number,
  ) => Promise<readonly string[]>
}

/** The values of the options that limit a token or a client. */
export interface CredentialOptions {
  readonly name: string
  readonly scope: Scope[]
  readonly ontology?: string[]
  readonly policy?: string[]
  readonly days?: number
}

/** Adds the commands. Credentials are in the store; a running service sees changes at once. */
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
  addExamples(addLimits(kind.addOptions?.(create) ?? create, noun), ...examples.create).action(
    (options: Options, command: Command) => createCredential(kind, options, command),
  )

  const list = group.command('list').description(`List all ${noun}s, without their secrets.`)
  addExamples(list, `oqs ${noun} list`).action(() =>
    withStore(async (store) => writeRows(await kind.list(store, Date.now()))),
  )

  const revoke = group.command('revoke <idOrName>').description(kind.revokeDescription)
  addExamples(revoke, examples.revoke).action((idOrName: string) =>
    revokeCredentials(kind, idOrName),
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
  await withStore(async (store) => {
    const nowMs = Date.now()
    const expiresAtMs = days === undefined ? undefined : nowMs + Math.round(days * DAY_MS)
    const spec = { name, scopes, ontologies, policies, expiresAtMs }
    const { id, text } = await kind.create(store, spec, options, nowMs)
    await recordCommand(store, kind.actions.create, [id])
    await warnOfUnknown(store, options, kind.noun)
    await writeOut(text)
  })
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
  { noun, revocable, actions, revoke }: CredentialCommands<Options>,
  idOrName: string,
): Promise<void> {
  await withStore(async (store) => {
    const revoked = await revoke(store, idOrName, Date.now())
    if (revoked.length === 0) {
      throw new Error(
        `there is no ${revocable} with the id or name ${idOrName}. List them with \`oqs ${noun} list\`.`,
      )
    }
    await recordCommand(store, actions.revoke, revoked)
    await writeOut(`revoked ${revoked.length}\n`)
  })
}

interface Limits {
  readonly scopes: readonly Scope[]
  readonly ontologies: readonly string[] | undefined
  /** The policies of a client, or the lists of policies of a token. */
  readonly policies?: readonly (string | readonly string[])[] | undefined
  readonly expiresAtMs: number | undefined
}

/** Returns the columns of a list that say what a credential allows. */
export function limitColumns({ scopes, ontologies, policies, expiresAtMs }: Limits) {
  return {
    scopes: scopes.join(' '),
    ontologies: ontologies?.join(' ') ?? 'all',
    policies: policies?.flat().join(' ') ?? 'none',
    expires: expiresAtMs === undefined ? 'never' : new Date(expiresAtMs).toISOString(),
  }
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
