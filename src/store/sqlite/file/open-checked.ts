/** Opens a database and refuses one that has lost a part of its file. */
import type { DatabaseSync } from 'node:sqlite'
import { openConnection, pageBytesOf } from './connection.ts'
import { endsWithinPage, hasWal, isEmptied } from './database-file.ts'
import { StoreDamage } from './store-failure.ts'

/**
 * Opens a database file, which must exist. Throws `StoreDamage` if a part of it was lost: SQLite
 * itself would not notice, and might delete the rest.
 */
export function openChecked(path: string): DatabaseSync {
  // SQLite would treat it as a new database and delete the WAL.
  if (isEmptied(path)) throw new StoreDamage(new Error(`${path} is empty, but its WAL is not`))
  const hadWal = hasWal(path)
  const db = openConnection(path)
  try {
    if (!hadWal && endsWithinPage(path, pageBytesOf(db))) {
      throw new StoreDamage(new Error(`${path} ends within a page`))
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
