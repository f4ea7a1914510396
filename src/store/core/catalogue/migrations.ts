/**
 * Migrations: SQL files that are applied to a database once each, in the order of their names. The
 * database keeps their checksums, so that one whose tables another build created is refused before
 * anything fails.
 */
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { TableDialect } from './build-table.ts'
import { sampleTable } from './sample-table.ts'

/** What a database records about a migration; null in one from before this was recorded. */
export interface AppliedMigration {
  readonly checksum: string | null
  /** The checksum of what creates object tables. */
  readonly objectTables: string | null
}

export interface Migration {
  /** The schema of a database is the number of its last migration. */
  readonly number: number
  readonly sql: string
  readonly checksum: string
  readonly objectTables: string
}

/** The migrations of a database, and its words for those of SQL in `catalogue.sql`. */
export interface Migrations {
  readonly folder: URL
  readonly words: readonly (readonly [written: RegExp, word: string])[]
  readonly tables: TableDialect
}

/** The table of applied migrations. */
export const MIGRATION_TABLE =
  'CREATE TABLE oqs_migration (number INTEGER NOT NULL, checksum TEXT NOT NULL, object_tables TEXT NOT NULL)'

/** Stands for the tables that both databases have. */
const INCLUDED = '-- include catalogue.sql'
const CATALOGUE = new URL('./catalogue.sql', import.meta.url)

/** Returns the migrations that a database lacks. Throws if others than these were applied to it. */
export function missingMigrations(
  migrations: Migrations,
  applied: readonly AppliedMigration[],
): Migration[] {
  const all = readMigrations(migrations)
  if (applied.some(({ checksum }) => checksum === null)) throw otherBuild('an earlier build')
  const isOther = applied.some(({ checksum }, at) => checksum !== (all[at]?.checksum ?? checksum))
  if (isOther) throw otherBuild('another build')
  if (applied.length > all.length) {
    throw new Error(
      `a newer release created it: it has schema ${applied.length}, and this release knows ${all.length}. Run that release, or a newer one`,
    )
  }
  // A release whose object tables differ from those of earlier releases has a migration for them.
  const [last, expected] = [applied.at(-1), all.at(-1)]
  const hasAll = applied.length === all.length
  if (hasAll && last?.objectTables !== expected?.objectTables) throw otherBuild('another build')
  return all.slice(applied.length)
}

function otherBuild(creator: string): Error {
  return new Error(
    `${creator} of the service created it, with tables that this one cannot use. Export its ontologies with that build (\`oqs ontology export\`), and import them into a new store with this one (\`oqs ontology import\`); see "Which stores can a release open?" in docs/how-to/releases.md`,
  )
}

function readMigrations({ folder, words, tables }: Migrations): Migration[] {
  const objectTables = checksumOf(sampleTable(tables))
  const readTables = () =>
    words.reduce(
      (sql, [written, word]) => sql.replaceAll(written, word),
      readFileSync(CATALOGUE, 'utf8'),
    )
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name, index) => {
      const sql = readFileSync(new URL(name, folder), 'utf8').replace(INCLUDED, readTables)
      return { number: index + 1, sql, checksum: checksumOf(sql), objectTables }
    })
}

/** Comments and line breaks may change. */
function checksumOf(sql: string): string {
  return hash('sha256', sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim())
}
