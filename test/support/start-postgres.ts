import type { TestProject } from 'vitest/node'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { createDatabase, runSql } from './postgres.ts'
import { startPostgresServer } from './postgres-server.ts'

/** The environment variables with the server and the template, which the projects of a run share. */
const [URL_VARIABLE, TEMPLATE_VARIABLE] = ['OQS_TEST_RUN_POSTGRES', 'OQS_TEST_RUN_TEMPLATE']

/** Provides the server in `OQS_TEST_POSTGRES`, or starts a private one, once per test run. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const started = process.env[URL_VARIABLE]
  if (started !== undefined) {
    project.provide('postgresUrl', started)
    project.provide('postgresTemplate', process.env[TEMPLATE_VARIABLE] ?? '')
    return undefined
  }
  await using parts = new AsyncDisposableStack()
  const url = process.env['OQS_TEST_POSTGRES'] ?? parts.use(await startPostgresServer()).url
  const template = parts.use(await createDatabase(url))
  await (await openPostgresStore(template.url))[Symbol.asyncDispose]()
  // A database is not copied while anything is connected to it, such as an autovacuum worker.
  await runSql(url, `ALTER DATABASE ${template.name} ALLOW_CONNECTIONS false`)
  project.provide('postgresUrl', url)
  project.provide('postgresTemplate', template.name)
  process.env[URL_VARIABLE] = url
  process.env[TEMPLATE_VARIABLE] = template.name
  const running = parts.move()
  return async () => {
    delete process.env[URL_VARIABLE]
    delete process.env[TEMPLATE_VARIABLE]
    await running.disposeAsync()
  }
}
