import { openConnection } from '../../src/store/sqlite/file/connection.ts'
import { databasePath, serveJobs } from '../../src/store/sqlite/threads/serve-jobs.ts'

/** A thread that ends when it is asked to, and else says what it was told. */
serveJobs(openConnection(databasePath()), (name, input) => {
  if (name === 'end') process.exit()
  return input
})
