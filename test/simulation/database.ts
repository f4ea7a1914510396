/** The databases that seeds run on: each seed has an empty one of its own. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/server/open-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { createCitusSchema, createDatabase } from '../support/postgres.ts'
import { runFolder } from '../support/run-folder.ts'
import { createInlineThreads } from './inline-threads.ts'

export interface Database extends AsyncDisposable {
  /** The name for `OQS_STORE`. */
  readonly name: string
  readonly open: typeof openStore
  /** Continues with what a power failure would leave now; undefined if there is no such copy. */
  readonly crash?: () => void
}

export type CreateDatabase = () => Promise<Database>

/** A file system in memory, if there is one: a seed waits for hundreds of commits to be on disk. */
const MEMORY = '/dev/shm'

/** Creates files in a folder, each in a subfolder that is removed with it. */
export function sqliteDatabases(base = memoryFolder()): CreateDatabase {
  // Creating all tables takes longer than copying a file that has them.
  let empty: Buffer | undefined
  return async () => {
    const folder = mkdtempSync(join(base, 'oqs-simulation-'))
    let copies = 0
    const path = () => join(folder, `${copies}.db`)
    empty ??= await emptyFile(join(folder, 'empty.db'))
    writeFileSync(path(), empty, { mode: 0o600 })
    return {
      get name() {
        return `sqlite:${path()}`
      },
      open: async (name, options) =>
        openSqliteStore(
          name.slice('sqlite:'.length),
          // So that most batches, and every conversion of objects, take several transactions.
          { ...options, changesAtOnceMax: 3, rewrittenAtOnceMax: 0 },
          createInlineThreads,
        ),
      crash: () => {
        const from = path()
        copies += 1
        for (const suffix of ['', '-wal']) {
          if (existsSync(from + suffix)) copyFileSync(from + suffix, path() + suffix)
        }
      },
      [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
    }
  }
}

async function emptyFile(path: string): Promise<Buffer> {
  await openSqliteStore(path, {}, createInlineThreads)[Symbol.asyncDispose]()
  return readFileSync(path)
}

/** Returns the folder of a test run, or one that is not on disk. */
export function memoryFolder(): string {
  return runFolder() ?? (existsSync(MEMORY) ? MEMORY : tmpdir())
}

/**
 * Creates databases on a server, which is given by the URL of any database on it, or schemas in a
 * database of Citus.
 */
export function postgresDatabases(serverUrl: string, isCitus = false): CreateDatabase {
  return async () => {
    const { url: name, drop } = await (isCitus ? createCitusSchema : createDatabase)(serverUrl)
    const open: typeof openStore = (store, options) =>
      openStore(store, { ...options, rewrittenAtOnceMax: 0 })
    return { name, open, [Symbol.asyncDispose]: drop }
  }
}
