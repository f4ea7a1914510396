/** Opens the store that `OQS_STORE` names. */
import { existsSync } from 'node:fs'
import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectStore, StoreOptions } from '../store/object-store.ts'
import { StoreDamage } from '../store/sqlite/file/store-failure.ts'
import { sqlitePath } from '../store/store-name.ts'
import { ConfigError } from './config.ts'
import { withoutPassword } from './store-name.ts'

export const DAMAGE_ADVICE =
  'stop the service and restore the last backup; see "Restore a SQLite file" in docs/how-to/backups.md'

export async function openStore(name: string, options: StoreOptions = {}): Promise<ObjectStore> {
  try {
    // Only the store that is used is loaded.
    const path = sqlitePath(name)
    if (path !== undefined) {
      const { openSqliteStore } = await import('../store/sqlite/open.ts')
      return openSqliteStore(path, options)
    }
    const { openPostgresStore } = await import('../store/postgres/postgres-store.ts')
    return await openPostgresStore(name, options)
  } catch (error) {
    const advice = error instanceof StoreDamage ? `; ${DAMAGE_ADVICE}` : ''
    throw cannotOpen(name, reasonOf(error) + advice, error)
  }
}

/** Opens a store that must already exist, so that a mistyped path does not create an empty one. */
export async function openExistingStore(name: string): Promise<ObjectStore> {
  existingPath(name)
  return openStore(name)
}

/** Returns the path of a SQLite store, which must exist; undefined for any other store. */
export function existingPath(name: string): string | undefined {
  const path = sqlitePath(name)
  if (path !== undefined && !existsSync(path)) {
    throw cannotOpen(
      name,
      `there is no store at ${path}. Set OQS_STORE to an existing one, or create it with \`oqs serve\`.`,
    )
  }
  return path
}

export function cannotOpen(name: string, reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`OQS_STORE is ${JSON.stringify(withoutPassword(name))}: ${reason}`, {
    cause,
  })
}

/** Describes an error in one line, including what the database or the network reported. */
function reasonOf(error: unknown): string {
  if (error instanceof ObjectQueryError) {
    const reason = String(error.parameters['reason'] ?? error.message)
    return error.cause === undefined ? reason : `${reason}: ${reasonOf(error.cause)}`
  }
  // One error for each address that was tried.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return (error as Error).message.replaceAll(/\s+/g, ' ')
}
