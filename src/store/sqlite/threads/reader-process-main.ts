/**
 * The entry point of a reader process: runs slow queries one after the other, on a connection of its
 * own. It is a process, not a thread, because SQLite cannot be interrupted from JavaScript: a
 * process can be killed in the middle of a statement.
 */
import { Worker } from 'node:worker_threads'
import { openConnection } from '../file/connection.ts'
import { READ_JOBS } from './read-jobs.ts'
import { type Reading, readOn } from './reading.ts'
import { answerJob } from './serve-jobs.ts'
import { type JobReply, type JobRequest, START_ID } from './thread-jobs.ts'

const WATCH_MS = 200

type ReadJob = (reading: Reading, input: unknown) => unknown

// Signals for a whole process group are for the service, which decides when readers end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
const [path = '', maxBytes = '0'] = process.argv.slice(2)
watch()
// The time of a query begins when the process can run it.
send(answerJob(START_ID, start))

function start(): void {
  const reading = readOn(openConnection(path))
  process.on('message', ({ id, name, input }: JobRequest) => {
    const job = READ_JOBS[name as keyof typeof READ_JOBS] as ReadJob
    send(answerJob(id, () => job(reading, input)))
  })
}

/** A service that has gone takes no answer; this process then ends too. */
function send(reply: JobReply): void {
  process.send?.(reply, () => {})
}

/**
 * Watches from a thread, because a statement blocks everything else here. Ends this process when the
 * service was killed, and when a query takes too much memory: SQLite as Node builds it ignores
 * limits of its own. Only Linux tells the memory that is not the mapped file.
 */
function watch(): void {
  const code = `
    const { readFileSync } = require('node:fs')
    const { workerData: maxBytes } = require('node:worker_threads')
    const parent = process.ppid
    const ownBytes = () => {
      try {
        return 1024 * /^RssAnon:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]
      } catch {
        return 0
      }
    }
    setInterval(() => {
      if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
      if (ownBytes() > maxBytes) process.kill(process.pid, 'SIGABRT')
    }, ${WATCH_MS})
  `
  const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 }
  new Worker(code, { eval: true, resourceLimits, workerData: Number(maxBytes) }).unref()
}
