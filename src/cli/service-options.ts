/** Options shared by the commands that connect to a running service. */

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Endpoints } from '../client/endpoints/endpoints.ts'
import { untilInterrupted, untilStopped } from './interrupt.ts'
import { printMessage } from './output.ts'
import type { NamedService, ServiceAddress } from './service-address.ts'

export type ServiceOptions = NamedService

export interface TypeOptions {
  readonly ontology: string
  readonly type: string
}

/** Returns the type of the options, as the methods of the client take it. */
export function typeOf({ ontology, type }: TypeOptions) {
  return { ontology, objectType: type }
}

export function addServiceOptions(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'address of the service (default: OQS_URL, else port OQS_PORT of 127.0.0.1)',
      parseUrl,
    )
    .option(
      '--token <token>',
      'bearer token, visible to other users of the machine (default: OQS_TOKEN, else OQS_ADMIN_TOKEN)',
      parseText,
    )
    .addOption(
      new Option('--context <name>', 'a service that `oqs context add` has named')
        .argParser(parseText)
        .conflicts('url'),
    )
}

export function addTypeOptions(command: Command): Command {
  return command
    .requiredOption('--ontology <name>', 'API name or RID of the ontology', parseText)
    .requiredOption('--type <name>', 'API name of the object type', parseText)
}

interface ConnectOptions {
  /** Whether a signal lets requests in progress finish and only stops retries. */
  readonly finishRequests?: boolean
  /** Whether a request that fails is tried again for as long as it takes. */
  readonly isEndless?: boolean
}

/** Opens a client for the service that the options, the settings or the current context name. */
export async function openClient(
  options: ServiceOptions,
  signal: AbortSignal,
  connectOptions?: ConnectOptions,
): Promise<Endpoints> {
  const { findService } = await import('./service-address.ts')
  return connect(await findService(options), signal, connectOptions)
}

export async function connect(
  service: ServiceAddress,
  signal: AbortSignal,
  { finishRequests = false, isEndless = false }: ConnectOptions = {},
): Promise<Endpoints> {
  const { Endpoints } = await import('../client/endpoints/endpoints.ts')
  return new Endpoints({
    ...service,
    // A wrong address should be reported at once.
    retries: {
      waitForServiceMs: 0,
      onPause: outageReporter(isEndless ? 'until it is stopped' : 'for up to two minutes'),
      ...(isEndless ? { giveUpAfterMs: Number.POSITIVE_INFINITY } : {}),
    },
    ...(finishRequests ? { retrySignal: signal } : { signal }),
  })
}

/** What a command needs to talk to a service. */
export interface ServiceContext<Options> {
  readonly client: Endpoints
  readonly options: Options
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** Adds the options of a service and examples; the command gets a client and its arguments. */
export function runOnService<Options extends ServiceOptions, Args extends unknown[]>(
  command: Command,
  examples: readonly string[],
  run: (context: ServiceContext<Options>, ...args: Args) => Promise<void>,
  /** Returns why the options cannot be used together. */
  findMistake: (options: Options, ...args: Args) => string | undefined = () => undefined,
): void {
  addExamples(addServiceOptions(command), ...examples).action((...given: unknown[]) => {
    const options = given.at(-2) as Options
    const args = given.slice(0, -2) as Args
    failOnMistake(command, findMistake(options, ...args))
    return untilInterrupted(async (signal) => {
      await run({ client: await openClient(options, signal), options, signal }, ...args)
    })
  })
}

/** Runs a command that follows a service until it is stopped, however long the service is away. */
export function runUntilStopped<Options extends ServiceOptions & { readonly once?: true }>(
  command: Command,
  examples: readonly string[],
  run: (context: ServiceContext<Options>) => Promise<void>,
  findMistake: (options: Options) => string | undefined,
): void {
  addExamples(addServiceOptions(command), ...examples).action((options: Options) => {
    failOnMistake(command, findMistake(options))
    const isEndless = options.once === undefined
    return (isEndless ? untilStopped : untilInterrupted)(async (signal) => {
      await run({ client: await openClient(options, signal, { isEndless }), options, signal })
    })
  })
}

/** Ends the process if a command is used in a wrong way. */
function failOnMistake(command: Command, mistake: string | undefined): void {
  if (mistake !== undefined) command.error(`error: ${mistake}`, { exitCode: 2 })
}

/** Shorter pauses are those of a service that is busy for a moment. */
const REPORTED_PAUSE_MS = 2000
const REPORTS_APART_MS = 60_000

/** Returns a function that tells the user once a minute why the command waits. */
function outageReporter(limit: string): (failure: Error, ms: number) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return ({ message }, ms) => {
    const now = performance.now()
    if (ms < REPORTED_PAUSE_MS || now - reportedAt < REPORTS_APART_MS) return
    reportedAt = now
    printMessage(`${message} The command tries again ${limit}.`)
  }
}

export function parseText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
  return text
}

/** Returns the file to write; undefined for standard output, which `-` stands for. */
export function outputFile(name: string | undefined): string | undefined {
  return name === '-' ? undefined : name
}

export function parseList(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('The list contains an empty name.')
  return names
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of at least 1.')
  }
  return Number(text)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${(error as Error).message}.`)
  }
}

export function parseUrl(text: string): string {
  if (!/^https?:\/\/[^\s/@]+(?:\/|$)/.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError('It must start with http:// or https://, without a user name.')
  }
  return text
}

/** Appends examples to the help of a command. A test runs every one of them. */
export function addExamples(command: Command, ...lines: readonly string[]): Command {
  const heading = lines.length === 1 ? 'Example' : 'Examples'
  return command.addHelpText(
    'after',
    `\n${heading}:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  )
}
