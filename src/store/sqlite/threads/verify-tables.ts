/** Verifies a database in a process of its own, which can be killed in the middle of a table. */
import { QUERY_MEMORY_BYTES } from '../../../contract/limits.ts'
import { StoreDamage } from '../file/store-failure.ts'
import type { ReadJobs } from './read-jobs.ts'
import { ReaderProcess } from './reader-process.ts'
import type { JobInput, JobResult } from './thread-jobs.ts'

/**
 * Checks every table. Throws `StoreDamage` if one is damaged. Each table is a transaction of its own,
 * so that the WAL can be emptied in between.
 */
export async function verifyTables(path: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await using reader = new ReaderProcess({
    path,
    maxBytes: QUERY_MEMORY_BYTES,
    startsSlowly: true,
  })
  const kill = () => reader.kill()
  signal.addEventListener('abort', kill)
  const run = <Name extends 'prepareChecks' | 'findProblem'>(
    name: Name,
    input: JobInput<ReadJobs[Name]>,
  ) => reader.run(name, input) as Promise<JobResult<ReadJobs[Name]>>
  try {
    await reader.untilReady()
    for (const table of await run('prepareChecks', undefined)) {
      const problem = await run('findProblem', table)
      if (problem !== undefined) throw new StoreDamage(new Error(`${table}: ${problem}`))
    }
  } finally {
    signal.removeEventListener('abort', kill)
  }
}
