/** Commands that open the store themselves. */
import { randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import type { Config } from '../server/config.ts'
import type { ObjectStore } from '../store/object-store.ts'

/** Runs a command on the store of the settings, which must exist. */
export async function withStore(
  work: (store: ObjectStore, config: Config) => Promise<void>,
): Promise<void> {
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
  await work(store, config)
}

const HINT =
  ' Token, client and policy commands open the store in OQS_STORE and do not use OQS_URL.'

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
