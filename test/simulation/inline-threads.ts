/**
 * Runs the writer and the slow queries of a SQLite store on the thread of the simulation. They are
 * the same jobs on the same kind of connections, and messages are copied as between threads; only
 * the thread and the processes are missing, which take longer to start than a seed takes to run.
 */
import { EventEmitter } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { openConnection } from '../../src/store/sqlite/file/connection.ts'
import { toReadConnection } from '../../src/store/sqlite/queries/read-connection.ts'
import { READ_JOBS } from '../../src/store/sqlite/threads/read-jobs.ts'
import { answerJob } from '../../src/store/sqlite/threads/serve-jobs.ts'
import { serveWrites } from '../../src/store/sqlite/threads/serve-writes.ts'
import {
  type CreateThreads,
  createWriter,
  type SlowReaders,
} from '../../src/store/sqlite/threads/store-threads.ts'
import { failureOf } from '../../src/store/sqlite/threads/thread-jobs.ts'
import type { JobWorker } from '../../src/store/sqlite/threads/worker-thread.ts'

export const createInlineThreads: CreateThreads = (path) => ({
  writer: createWriter(path, () => new InlineWorker(path)),
  // The writer checkpoints by itself.
  checkpointer: { run: async () => undefined as never, [Symbol.asyncDispose]: async () => {} },
  slowReaders: inlineReaders(path),
})

/** Looks like a thread from outside: two ports, of which the writer has one. */
class InlineWorker extends EventEmitter implements JobWorker {
  readonly #port

  constructor(path: string) {
    super()
    const { port1, port2 } = new MessageChannel()
    serveWrites(path, port2)
    this.#port = port1
    port1.on('message', (message) => this.emit('message', message))
    port1.on('close', () => this.emit('exit'))
  }

  postMessage(message: unknown, transfer: Parameters<JobWorker['postMessage']>[1] = []): void {
    this.#port.postMessage(message, transfer)
  }

  ref(): void {
    this.#port.ref()
  }

  unref(): void {
    this.#port.unref()
  }
}

type ReadJob = (reading: ReturnType<typeof toReadConnection>, input: unknown) => unknown

function inlineReaders(path: string): SlowReaders {
  let reading: ReturnType<typeof toReadConnection> | undefined
  return {
    async run(name, input) {
      reading ??= toReadConnection(openConnection(path))
      const job = READ_JOBS[name] as ReadJob
      const connection = reading
      const reply = answerJob(0, () => structuredClone(job(connection, structuredClone(input))))
      if ('result' in reply) return reply.result as never
      throw failureOf(reply)
    },
    prepare: () => {},
    state: () => ({ running: 0, waiting: 0, waitedMs: 0 }),
    drain: () => {},
    [Symbol.asyncDispose]: async () => reading?.db.close(),
  }
}
