/** Verifies a database in a process of its own, which can be killed in the middle of a table. */
import { QUERY_MEMORY_BYTES } from '../../../contract/limits.ts'
import type { Verified } from '../../object-store.ts'
import { describeDamage, isObjectTable } from '../file/check-table.ts'
import { StoreDamage } from '../file/store-failure.ts'
import type { ReadJobs } from './read-jobs.ts'
import { ReaderProcess } from './reader-process.ts'
import type { JobInput, JobResult } from './thread-jobs.ts'

type RunCheck = <Name extends 'prepareChecks' | 'findProblem' | 'checkNextRows'>(
  name: Name,
  input: JobInput<ReadJobs[Name]>,
) => Promise<JobResult<ReadJobs[Name]>>

/**
 * Checks the structure of every table, and the checksum of every row. Throws `StoreDamage` if one is
 * damaged. Each check is a transaction of its own, so that the WAL can be emptied in between.
 */
export async function verifyTables(path: string, signal: AbortSignal): Promise<Verified> {
  signal.throwIfAborted()
  await using reader = new ReaderProcess({
    path,
    maxBytes: QUERY_MEMORY_BYTES,
    startsSlowly: true,
  })
  const kill = () => reader.kill()
  signal.addEventListener('abort', kill)
  const run: RunCheck = (name, input) => reader.run(name, input) as Promise<never>
  try {
    await reader.untilReady()
    let rows = 0
    for (const table of await run('prepareChecks', undefined)) {
      const problem = await run('findProblem', table)
      if (problem !== undefined) throw new StoreDamage(new Error(`${table}: ${problem}`))
      if (isObjectTable(table)) rows += await checkRows(run, table)
    }
    return { rows }
  } finally {
    signal.removeEventListener('abort', kill)
  }
}

/** Checks the rows of a table, and returns their number. */
async function checkRows(run: RunCheck, table: string): Promise<number> {
  let rows = 0
  for (let after: number | undefined = 0; after !== undefined; ) {
    const checked: JobResult<ReadJobs['checkNextRows']> = await run('checkNextRows', {
      table,
      after,
    })
    const { damaged } = checked
    if (damaged !== undefined) {
      throw new StoreDamage(Object.assign(new Error(describeDamage(damaged)), { damaged }))
    }
    rows += checked.rows
    after = checked.lastId
  }
  return rows
}
