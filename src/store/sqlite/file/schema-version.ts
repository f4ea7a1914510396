import type { DatabaseSync } from 'node:sqlite'

/** Returns the number of the last migration; 0 for a database that is not a store. */
export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}
