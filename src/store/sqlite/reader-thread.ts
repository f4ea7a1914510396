import { openConnection } from './connection.ts'
import { READ_JOBS } from './read-jobs.ts'
import { type Reading, readOn } from './reading.ts'
import { databasePath, serveJobs } from './serve-jobs.ts'

/** The thread that reads what may take long: so nobody else's page waits for it. */

type ReadJob = (reading: Reading, input: unknown) => unknown

const reading = readOn(openConnection(databasePath()))
serveJobs(reading.db, (name, input) => {
  const job = READ_JOBS[name as keyof typeof READ_JOBS] as ReadJob
  return job(reading, input)
})
