import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectStore, StoreOptions } from '../store/object-store.ts'
import { openPostgresStore } from '../store/postgres/open.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import { ConfigError } from './config.ts'
import { withoutPassword } from './store-name.ts'

const SQLITE = 'sqlite:'

/** `OQS_STORE` → the store it names. */
export async function openStore(name: string, options: StoreOptions = {}): Promise<ObjectStore> {
  try {
    return isFile(name)
      ? openSqliteStore(pathOf(name), options)
      : await openPostgresStore(name, options)
  } catch (error) {
    throw cannotOpen(name, reasonOf(error), error)
  }
}

/** A store that is already there: a command that looks at one must not make another. */
export async function openExistingStore(name: string): Promise<ObjectStore> {
  if (isFile(name) && !existsSync(pathOf(name))) {
    throw cannotOpen(name, `there is no store at ${pathOf(name)}`)
  }
  return openStore(name)
}

function isFile(name: string): boolean {
  return name.startsWith(SQLITE)
}

function pathOf(name: string): string {
  return resolve(name.slice(SQLITE.length))
}

function cannotOpen(name: string, reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`OQS_STORE is ${JSON.stringify(withoutPassword(name))}: ${reason}`, {
    cause,
  })
}

/** In one line. Of a database that cannot be reached, what it or the network said. */
function reasonOf(error: unknown): string {
  if (error instanceof ObjectQueryError) {
    const reason = String(error.parameters['reason'] ?? error.message)
    return error.cause === undefined ? reason : `${reason}: ${reasonOf(error.cause)}`
  }
  // Several addresses were tried, each failed.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return (error as Error).message.replaceAll(/\s+/g, ' ')
}
