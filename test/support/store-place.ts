import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { createCitusSchema, createDatabase } from './postgres.ts'
import { tempFolder } from './temp-folder.ts'

/** Which database a run of a test file uses: vitest.config.ts runs some of them once for each. */
export type StoreKind = 'sqlite' | 'postgres' | 'citus'

declare module 'vitest' {
  interface ProvidedContext {
    readonly store: StoreKind
    /** Of the server for tests; not for `sqlite`. */
    readonly postgresUrl: string
  }
}

/** Room for a store of a test's own, removed when it is disposed. */
export interface StorePlace extends AsyncDisposable {
  /** As `OQS_STORE` takes it. */
  readonly name: string
  /** Loses the data, whoever uses them. */
  lose(): Promise<void>
}

export async function storePlace(): Promise<StorePlace> {
  const kind = inject('store')
  if (kind === 'sqlite') return sqlitePlace()
  const url = inject('postgresUrl')
  const {
    url: name,
    drop,
    ...rest
  } = await (kind === 'citus' ? createCitusSchema : createDatabase)(url)
  return { name, lose: drop, ...rest }
}

function sqlitePlace(): StorePlace {
  const folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  return {
    name: `sqlite:${path}`,
    lose: async () => rmSync(path),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}
