import { readFileSync } from 'node:fs'
import { createDatabase, runSql } from '../../../test/support/postgres.ts'
import { startPostgresServer } from '../../../test/support/postgres-server.ts'
import { parentOf } from './process-tree.ts'

/** The PostgreSQL server that the service and its peers share, each in a database of its own. */
export interface SharedPostgres extends AsyncDisposable {
  /** Of a database on it, which is the service's. */
  readonly url: string
  /** The process that all its others come from; undefined where they are not on this machine. */
  readonly pid: number | undefined
}

/** A server of its own, or the one of `OQS_TEST_POSTGRES`. */
export async function openSharedPostgres(): Promise<SharedPostgres> {
  await using parts = new AsyncDisposableStack()
  const given = process.env['OQS_TEST_POSTGRES']
  const server = given ?? parts.use(await startPostgresServer({ isDurable: true })).url
  const { url } = parts.use(await createDatabase(server))
  const pid = await serverProcess(url)
  const running = parts.move()
  return { url, pid, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function serverProcess(url: string): Promise<number | undefined> {
  // A process that lasts: the one that answers has ended before it could be looked at.
  const rows = await runSql(
    url,
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
  )
  const pid = Number(rows[0]?.['pid'])
  return isPostgres(pid) ? parentOf(pid) : undefined
}

/** On another machine, or in a container, the number is that of anything or nothing here. */
function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
  } catch {
    return false
  }
}
