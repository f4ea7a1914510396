import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { createCitusSchema, createDatabase } from './postgres.ts'
import { tempFolder } from './temp-folder.ts'

/** The kind of database that a test file uses; vitest.config.ts runs some files once for each. */
export type StoreKind = 'sqlite' | 'postgres' | 'citus'

declare module 'vitest' {
  interface ProvidedContext {
    readonly store: StoreKind
    /** The URL of the test server; not for `sqlite`. */
    readonly postgresUrl: string
  }
}

/** A database or file for the store of one test; disposing removes it. */
export interface TestStore extends AsyncDisposable {
  /** The name for `OQS_STORE`. */
  readonly name: string
  /** Deletes the data even while it is in use. */
  dropData(): Promise<void>
}

export async function createTestStore(): Promise<TestStore> {
  const kind = inject('store')
  if (kind === 'sqlite') return createSqliteStore()
  const url = inject('postgresUrl')
  const {
    url: name,
    drop,
    ...rest
  } = await (kind === 'citus' ? createCitusSchema : createDatabase)(url)
  return { name, dropData: drop, ...rest }
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
