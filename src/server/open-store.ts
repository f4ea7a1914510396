import type { ObjectStore } from '../store/object-store.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import { ConfigError } from './config.ts'

const SQLITE = 'sqlite:'

/** `OQS_STORE` → the store it names. */
export function openStore(name: string): ObjectStore {
  const path = name.slice(SQLITE.length)
  try {
    return openSqliteStore(path)
  } catch (error) {
    throw new ConfigError(`OQS_STORE is ${JSON.stringify(name)}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
