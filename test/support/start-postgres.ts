import type { TestProject } from 'vitest/node'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { createDatabase, runSql } from './postgres.ts'
import { startPostgresServer } from './postgres-server.ts'

/** Provides the server in `OQS_TEST_POSTGRES`, or starts a private one, once per test run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using parts = new AsyncDisposableStack()
  const url = process.env['OQS_TEST_POSTGRES'] ?? parts.use(await startPostgresServer()).url
  project.provide('postgresUrl', url)
  const template = parts.use(await createDatabase(url))
  await (await openPostgresStore(template.url))[Symbol.asyncDispose]()
  // A database is not copied while anything is connected to it, such as an autovacuum worker.
  await runSql(url, `ALTER DATABASE ${template.name} ALLOW_CONNECTIONS false`)
  project.provide('postgresTemplate', template.name)
  const running = parts.move()
  return () => running.disposeAsync()
}
