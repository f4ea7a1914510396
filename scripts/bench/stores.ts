import { createDatabase } from '../../test/support/postgres.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import type { StoreName } from './options.ts'
import type { Workspace } from './workspace.ts'

/** An empty store for a run. */
export interface EmptyStore extends AsyncDisposable {
  /** As `OQS_STORE` names it. */
  readonly url: string
}

export async function openEmptyStore(name: StoreName, workspace: Workspace): Promise<EmptyStore> {
  if (name === 'PostgreSQL') return openPostgres()
  // The file goes with the folder of the workspace.
  return { url: workspace.sqlite, [Symbol.asyncDispose]: async () => {} }
}

/** A new database, on a server that is durable as one in service would be. */
async function openPostgres(): Promise<EmptyStore> {
  await using parts = new AsyncDisposableStack()
  const given = process.env['OQS_TEST_POSTGRES']
  const url = given ?? parts.use(await startPostgresServer({ isDurable: true })).url
  const database = parts.use(await createDatabase(url))
  const running = parts.move()
  return { url: database.url, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
