import type { TestProject } from 'vitest/node'
import { startPostgresServer } from './postgres-server.ts'

/**
 * Once for a run, and only if a test needs it: the server that `OQS_TEST_POSTGRES` names, else a
 * private one.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['OQS_TEST_POSTGRES']
  if (given !== undefined) {
    project.provide('postgresUrl', given)
    return async () => {}
  }
  const server = await startPostgresServer()
  project.provide('postgresUrl', server.url)
  return async () => server[Symbol.asyncDispose]()
}
