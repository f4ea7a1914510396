/**
 * The entry point of a reader process, which runs slow queries one after the other. It is a process,
 * not a thread, because it can be killed in the middle of a statement: SQLite cannot be interrupted
 * from JavaScript.
 */
import { Worker } from 'node:worker_threads'
import { openConnection } from '../file/connection.ts'
import { type ReadConnection, toReadConnection } from '../queries/read-connection.ts'
import { READ_JOBS } from './read-jobs.ts'
import { answerJob } from './serve-jobs.ts'
import {
  type JobReply,
  type JobRequest,
  type ResultPiece,
  START_ID,
  splitResult,
} from './thread-jobs.ts'

const WATCH_MS = 200

type ReadJob = (reading: ReadConnection, input: unknown) => unknown

// The service decides when its readers end, not signals that are sent to the process group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
const [path = '', maxBytes = '0'] = process.argv.slice(2)
watch()
// The timeout of a query starts when the process is ready to run it.
send(answerJob(START_ID, start))

function start(): void {
  const reading = toReadConnection(openConnection(path))
  process.on('message', ({ id, name, input }: JobRequest) => {
    const job = READ_JOBS[name as keyof typeof READ_JOBS] as ReadJob
    sendInPieces(answerJob(id, () => job(reading, input)))
  })
}

function sendInPieces(reply: JobReply): void {
  if (!('result' in reply)) {
    send(reply)
    return
  }
  const { id } = reply
  const { pieces, rest } = splitResult(reply.result)
  for (const piece of pieces) send({ id, piece })
  send({ id, result: rest })
}

/** Ignores a failure to send: without the service, this process exits too. */
function send(reply: JobReply | ResultPiece): void {
  process.send?.(reply, () => {})
}

/**
 * Kills this process if the service was killed, or if a query uses too much memory: the memory limits
 * of SQLite are disabled in Node.js. Runs in a thread, because a statement blocks everything else.
 * Only Linux reports the memory without the mapped file.
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
