import type { TestProject } from 'vitest/node'
import { startPostgresServer } from './postgres-server.ts'

/** Provides the server in `OQS_TEST_POSTGRES`, or starts a private one, once per test run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env['OQS_TEST_POSTGRES']
  if (url !== undefined) {
    project.provide('postgresUrl', url)
    return async () => {}
  }
  const server = await startPostgresServer()
  project.provide('postgresUrl', server.url)
  return async () => server[Symbol.asyncDispose]()
}
