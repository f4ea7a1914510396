/** The names of stores, as `OQS_STORE` has them: `sqlite:PATH`, or the URL of PostgreSQL. */
import { resolve } from 'node:path'

const SQLITE = 'sqlite:'

/** Returns the path of a SQLite file; undefined for any other store. */
export function sqlitePath(name: string): string | undefined {
  return name.startsWith(SQLITE) ? resolve(name.slice(SQLITE.length)) : undefined
}
