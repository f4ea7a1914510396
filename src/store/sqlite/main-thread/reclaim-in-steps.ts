/** Runs maintenance in the writer thread, in steps between which other writes can run. */
import type { Retention } from '../../object-store.ts'
import { ISSUED_TOKENS_KEPT_MS } from '../../sql/api-token-row.ts'
import type { Sightings } from '../catalogue/sightings.ts'
import type { JobInput, JobResult } from '../threads/thread-jobs.ts'
import type { WriteJobs } from '../threads/write-jobs.ts'

export type RunWriteJob = <Name extends keyof WriteJobs & string>(
  name: Name,
  input: JobInput<WriteJobs[Name]>,
) => Promise<JobResult<WriteJobs[Name]>>

/** Returns the number of deleted rows. */
export async function reclaimInSteps(
  { now, rowVersionsMs, idleReplacementsMs, auditRecordsMs = Infinity }: Retention,
  readSightings: () => Sightings,
  write: RunWriteJob,
  removeAbandonedWrites: () => Promise<void>,
): Promise<number> {
  await removeAbandonedWrites()
  const sightings = readSightings()
  const nowMs = now()
  await write('saveSightings', { ...sightings, nowMs })
  const times = {
    rowVersionsSinceMs: nowMs - rowVersionsMs,
    replacementsSinceMs: nowMs - idleReplacementsMs,
  }
  // A time before all records, if they are kept forever.
  const auditSinceMs = Math.max(0, nowMs - auditRecordsMs)
  let total = 0
  for (let step = await write('reclaimStep', times); step !== undefined; ) {
    total += step.rows
    step = await write('reclaimStep', times)
  }
  const steps = [
    () => write('deleteExpiredKeys', nowMs),
    () => write('deleteExpiredDocuments', nowMs),
    () => write('deleteIssuedTokens', nowMs - ISSUED_TOKENS_KEPT_MS),
    () => write('deleteAuditRecords', auditSinceMs),
  ]
  for (const step of steps) {
    for (let deleted = await step(); deleted > 0; deleted = await step()) total += deleted
  }
  return total
}
