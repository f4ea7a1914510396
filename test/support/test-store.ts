import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { createCitusSchema, createDatabase } from './postgres.ts'
import { tempFolder } from './temp-folder.ts'

/** The kind of database that a test file uses; vitest.config.ts runs some files once for each. */
type StoreKind = 'sqlite' | 'postgres' | 'citus'

declare module 'vitest' {
  interface ProvidedContext {
    readonly store: StoreKind
    /** Undefined if types that are as small as those of tests have no columns. */
    readonly columns: 'forced' | undefined
    /** How many cases of a property test are tried; all by default. */
    readonly cases: 'third' | undefined
    /** The URL of the test server; not for `sqlite`. */
    readonly postgresUrl: string
    /** The database with the schema of a store that new databases are copied from; only for `postgres`. */
    readonly postgresTemplate: string
  }
}

/** A database or file for the store of one test; disposing removes it. */
export interface TestStore extends AsyncDisposable {
  /** The name for `OQS_STORE`. */
  readonly name: string
  /** Deletes the data even while it is in use. */
  dropData(): Promise<void>
}

/**
 * Creates a store without data. Copying a database with the schema of a store is faster than
 * migrating an empty one, and leaves nothing to migrate.
 */
export async function createTestStore(
  schema: 'migrated' | 'none' = 'migrated',
): Promise<TestStore> {
  const kind = inject('store')
  if (kind === 'sqlite') return createSqliteStore()
  const url = inject('postgresUrl')
  const template = schema === 'migrated' ? inject('postgresTemplate') : undefined
  const database = await (kind === 'citus' ? createCitusSchema(url) : createDatabase(url, template))
  return {
    name: database.url,
    dropData: () => database.drop(),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

function createSqliteStore(): TestStore {
  const folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  return {
    name: `sqlite:${path}`,
    dropData: async () => rmSync(path),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}
