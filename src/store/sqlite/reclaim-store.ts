/** Reclaims what a SQLite store no longer needs, in steps that let other writers run in between. */
import type { Retention } from '../object-store.ts'
import { ISSUED_TOKENS_KEPT_MS } from '../sql/api-token-row.ts'
import type { Sightings } from './catalogue/sightings.ts'
import type { JobInput, JobResult } from './threads/thread-jobs.ts'
import type { WriteJobs } from './threads/write-jobs.ts'

type Write = <Name extends keyof WriteJobs & string>(
  name: Name,
  input: JobInput<WriteJobs[Name]>,
) => Promise<JobResult<WriteJobs[Name]>>

/** Returns the number of deleted rows. The sightings were read before the clock is. */
export async function reclaimStore(
  write: Write,
  sightings: Sightings,
  { now, rowVersionsMs, idleReplacementsMs }: Retention,
): Promise<number> {
  const nowMs = now()
  await write('saveSightings', { ...sightings, nowMs })
  await write('deleteExpiredKeys', nowMs)
  const times = {
    rowVersionsSinceMs: nowMs - rowVersionsMs,
    replacementsSinceMs: nowMs - idleReplacementsMs,
  }
  const steps = [
    () => write('reclaimStep', times),
    () => write('deleteExpiredDocuments', nowMs),
    () => write('deleteIssuedTokens', nowMs - ISSUED_TOKENS_KEPT_MS),
  ]
  let total = 0
  for (const step of steps) {
    for (let deleted = await step(); deleted > 0; deleted = await step()) total += deleted
  }
  return total
}
