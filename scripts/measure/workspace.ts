/** A temporary folder and the processes that use it. Neither outlives the run, however it ends. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, runSql } from '../../test/support/postgres.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import type { StoreName } from './command-line.ts'

export interface Workspace extends Disposable {
  readonly folder: string
  /** Kills the process with the run. */
  adopt(child: ChildProcess): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function openWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'oqs-measure-'))
  const children = new Set<ChildProcess>()
  const clear = () => {
    for (const child of children) child.kill('SIGKILL')
    // A process that is ending may still create a file, so removal is retried.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  const exit = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])
  for (const signal of SIGNALS) process.on(signal, exit)
  process.on('exit', clear)
  return {
    folder,
    adopt(child) {
      children.add(child)
      child.once('exit', () => children.delete(child))
    },
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, exit)
      process.off('exit', clear)
      clear()
    },
  }
}

/** Throws when the folder of the run has too little free disk space. */
export function requireDiskSpace({ folder }: Workspace, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  const [needed, free] = [bytes, bavail * bsize].map((each) => `${(each / 1e9).toFixed(1)} GB`)
  if (bavail * bsize >= bytes) return
  throw new Error(
    `This run needs ${needed} in ${folder}, but ${free} are free. Use fewer objects (--objects) or another disk (TMPDIR).`,
  )
}

/** A server on which every call of `create` makes an empty store. */
export interface Stores extends AsyncDisposable {
  /** Returns a value for `OQS_STORE`. */
  create(name: string): Promise<string>
  /** The main process of a PostgreSQL server that this run has started. */
  readonly databasePid: number | undefined
}

/** PostgreSQL commits are durable, as in production. */
export async function openStores(store: StoreName, { folder }: Workspace): Promise<Stores> {
  if (store === 'SQLite') {
    return {
      create: async (name) => `sqlite:${join(folder, `${name}.db`)}`,
      databasePid: undefined,
      [Symbol.asyncDispose]: async () => {},
    }
  }
  const given = process.env['OQS_TEST_POSTGRES']
  await using parts = new AsyncDisposableStack()
  const serverUrl = given ?? parts.use(await startPostgresServer({ isDurable: true })).url
  const databasePid = given === undefined ? await postmasterPid(serverUrl) : undefined
  const running = parts.move()
  return {
    create: async () => running.use(await createDatabase(serverUrl)).url,
    databasePid,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function postmasterPid(url: string): Promise<number> {
  const sql = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid"
  return Number((await runSql(url, sql))[0]?.['pid'])
}
