import { parentPort } from 'node:worker_threads'
import { openConnection } from '../../src/store/sqlite/file/connection.ts'
import { databasePath, serveJobs } from '../../src/store/sqlite/threads/serve-jobs.ts'

/** A thread that exits on the job `end`, and returns the input of every other job. */
if (parentPort !== null) {
  serveJobs(parentPort, openConnection(databasePath()), (name, input) => {
    if (name === 'end') process.exit()
    return input
  })
}
