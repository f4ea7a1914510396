/** Migrations: SQL files that are applied to a database once each, in the order of their names. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Migration {
  /** The schema of a database is the number of its last migration. */
  readonly number: number
  readonly readSql: () => string
}

/** Returns the migrations of a folder that a database lacks. Throws if it has more than the folder. */
export function missingMigrations(folder: URL, applied: number): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  if (applied > names.length) {
    throw new Error(
      `the database has schema ${applied}, this release knows ${names.length}: run a newer release`,
    )
  }
  return names
    .map((name, index) => ({
      number: index + 1,
      readSql: () => readFileSync(new URL(name, folder), 'utf8'),
    }))
    .slice(applied)
}
