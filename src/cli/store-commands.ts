/** Commands that open the store themselves, or administer a service. */
import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import type { Connection } from '../client/connection.ts'
import type { Config, ConfiguredSetting } from '../server/config.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { untilInterrupted } from './interrupt.ts'
import { printMessage } from './output.ts'
import { connect, type ServiceOptions } from './service-options.ts'

/** Does the same on a service and on a store. */
export interface Administration<Result> {
  readonly onService: (connection: Connection) => Promise<Result>
  readonly onStore: (store: ObjectStore, config: Config) => Promise<Result>
}

/** Runs a command on the service that is meant, or else on the store of the settings. */
export async function administer<Result>(
  options: ServiceOptions,
  { onService, onStore }: Administration<Result>,
): Promise<Result> {
  const { findAdministered } = await import('./service-address.ts')
  const service = await findAdministered(options)
  if (service === undefined) return await withStore(onStore)
  return await untilInterrupted(async (signal) =>
    onService((await connect(service, signal)).connection),
  )
}

/** Runs a command on the store of the settings, which must exist. */
export async function withStore<Result>(
  work: (store: ObjectStore, config: Config) => Promise<Result>,
): Promise<Result> {
  const [{ readConfig }, { openExistingStore }] = await Promise.all([
    import('../server/config.ts'),
    import('../server/open-store.ts'),
  ])
  const config = readConfig(process.env)
  await using store = await openExistingStore(config.OQS_STORE).catch((error: Error) => {
    // Other commands use OQS_URL, so its user may expect the same here.
    if (process.env['OQS_URL']) error.message += HINT
    throw error
  })
  await printDefaultStore(config)
  return await work(store, config)
}

/** Someone who means another store, or a service, would not notice that there is one here. */
export async function printDefaultStore({ OQS_STORE }: Pick<Config, 'OQS_STORE'>): Promise<void> {
  const { effectiveSettings } = await import('../server/config.ts')
  if (!effectiveSettings(process.env).some(isDefaultStore)) return
  printMessage(`using the store ${OQS_STORE} in this folder`)
}

function isDefaultStore({ name, source }: ConfiguredSetting): boolean {
  return name === 'OQS_STORE' && source === 'default'
}

const HINT = ' To administer the service at OQS_URL, pass its address with --url.'

/** What a command that opened the store did there. */
export type CommandAction =
  | 'createApiToken'
  | 'revokeApiToken'
  | 'createClient'
  | 'revokeClient'
  | 'savePolicy'
  | 'deletePolicy'
  | 'backup'

/**
 * Adds a command to the audit log of the store. A command cannot see the settings of the service, so
 * it is recorded whatever `OQS_AUDIT` says. Call it before the command prints its result.
 */
export async function recordCommand(
  store: Pick<ObjectStore, 'audit'>,
  operation: CommandAction,
  keys?: readonly string[],
): Promise<void> {
  const name = userName()
  await store.audit.append([
    {
      atMs: Date.now(),
      requestId: randomUUID(),
      operation,
      kind: operation === 'backup' ? 'read' : 'write',
      caller: { id: `command:${name}`, name },
      address: hostname(),
      outcome: 'success',
      ...(keys === undefined ? {} : { keys }),
    },
  ])
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run with a user id that has no name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
