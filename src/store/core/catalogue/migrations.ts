/** Migrations: SQL files that are applied to a database once each, in the order of their names. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Migration {
  /** The schema of a database is the number of its last migration. */
  readonly number: number
  readonly readSql: () => string
}

/** The migrations of a database, and its words for those of SQL in `catalogue.sql`. */
export interface Migrations {
  readonly folder: URL
  readonly words: readonly (readonly [written: RegExp, word: string])[]
}

/** Stands for the tables that both databases have. */
const INCLUDED = '-- include catalogue.sql'
const CATALOGUE = new URL('./catalogue.sql', import.meta.url)

/** Returns the migrations of a folder that a database lacks. Throws if it has more than the folder. */
export function missingMigrations({ folder, words }: Migrations, applied: number): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  if (applied > names.length) {
    throw new Error(
      `the database has schema ${applied}, this release knows ${names.length}: run a newer release`,
    )
  }
  const readTables = () =>
    words.reduce(
      (sql, [written, word]) => sql.replaceAll(written, word),
      readFileSync(CATALOGUE, 'utf8'),
    )
  return names
    .map((name, index) => ({
      number: index + 1,
      readSql: () => readFileSync(new URL(name, folder), 'utf8').replace(INCLUDED, readTables),
    }))
    .slice(applied)
}
