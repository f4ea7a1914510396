import type { Commit } from '../../object-store.ts'
import type { Publication } from '../catalogue/replacement.ts'
import type { JobInput, JobResult } from './thread-jobs.ts'
import type { WriteJobs } from './write-jobs.ts'

/** Runs a job of the writer thread when it is its turn. */
export type RunWrite = <Name extends keyof WriteJobs & string>(
  name: Name,
  input: JobInput<WriteJobs[Name]>,
) => Promise<JobResult<WriteJobs[Name]>>

/** Publishes a replacement. Builds one index at a time, so that other writers can run in between. */
export async function publishInSteps(
  { typeRid, replacement, mode, audit }: Publication,
  run: RunWrite,
  onIndexed?: (indexes: number) => void,
): Promise<Commit> {
  const target = { typeRid, replacement, mode }
  for (let built = 1; await run('indexReplacement', target); built += 1) onIndexed?.(built)
  return run('publishReplacement', { ...target, audit })
}
