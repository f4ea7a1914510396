import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ObjectStore } from '../store/object-store.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import { ConfigError } from './config.ts'

const SQLITE = 'sqlite:'

/** `OQS_STORE` → the store it names. */
export function openStore(name: string): ObjectStore {
  const path = pathOf(name)
  try {
    return openSqliteStore(path)
  } catch (error) {
    throw new ConfigError(`OQS_STORE is ${JSON.stringify(name)}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** A store that is already there: a command that looks at one must not make another. */
export function openExistingStore(name: string): ObjectStore {
  if (!existsSync(pathOf(name))) {
    throw new ConfigError(
      `OQS_STORE is ${JSON.stringify(name)}: there is no store at ${pathOf(name)}`,
    )
  }
  return openStore(name)
}

function pathOf(name: string): string {
  return resolve(name.slice(SQLITE.length))
}
