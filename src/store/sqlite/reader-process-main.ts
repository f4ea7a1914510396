/**
 * The entry point of a reader process: runs slow queries one after the other, on a connection of its
 * own. It is a process, not a thread, because SQLite cannot be interrupted from JavaScript: a
 * process can be killed in the middle of a statement.
 */
import { Worker } from 'node:worker_threads'
import { ObjectQueryError } from '../../contract/errors.ts'
import { openConnection } from './connection.ts'
import { READ_JOBS } from './read-jobs.ts'
import { type Reading, readOn } from './reading.ts'
import { answerJob } from './serve-jobs.ts'
import { isOutOfMemory } from './store-failure.ts'
import { type JobReply, type JobRequest, START_ID } from './thread-jobs.ts'

type ReadJob = (reading: Reading, input: unknown) => unknown

// Signals for a whole process group are for the service, which decides when readers end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
watchParent()
// The time of a query begins when the process can run it.
send(answerJob(START_ID, start))

function start(): void {
  const [path = '', heapBytes = '0'] = process.argv.slice(2)
  const reading = readOn(openConnection(path))
  // Past this a statement fails with SQLITE_NOMEM; sorts spill to temporary files long before.
  reading.db.exec(`PRAGMA hard_heap_limit = ${Number(heapBytes)}`)
  process.on('message', ({ id, name, input }: JobRequest) => {
    const job = READ_JOBS[name as keyof typeof READ_JOBS] as ReadJob
    send(answerJob(id, () => runWithinLimit(() => job(reading, input))))
  })
}

/** Only here has SQLite a limit, so only here is running out of memory the fault of a query. */
function runWithinLimit(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (isOutOfMemory(error)) throw new ObjectQueryError('QueryMemoryExceededLimit')
    throw error
  }
}

/** A service that has gone takes no answer; this process then ends too. */
function send(reply: JobReply): void {
  process.send?.(reply, () => {})
}

/** Ends this process when the service was killed while a statement runs, which hides `disconnect`. */
function watchParent(): void {
  const watch = `
    const parent = process.ppid
    setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1000)
  `
  const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 }
  new Worker(watch, { eval: true, resourceLimits }).unref()
}
