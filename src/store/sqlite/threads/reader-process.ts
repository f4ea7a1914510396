/** The service's end of a reader process: sends one job at a time, kills it when the job must stop. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { siblingModule } from '../../../contract/sibling-module.ts'
import { lowerProcessPriority } from './background-priority.ts'
import { failureOf } from './job-failure.ts'
import { type JobReply, START_ID } from './thread-jobs.ts'

export interface ReaderProcessOptions {
  /** The database file. */
  readonly path: string
  /** Bytes of its own that the process may take before it is ended, where the system tells them. */
  readonly maxBytes: number
  /** Megabytes of JavaScript values that a query may collect. */
  readonly maxHeapMb?: number
}

/** Far more than the largest answer. */
const MAX_HEAP_MB = 256
/** How a process ends that has reached a limit of memory: its own watch and Node do the same. */
const MEMORY_LIMIT_SIGNAL = 'SIGABRT'

export class ReaderProcess {
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  #hasEnded = false
  #waiting: PromiseWithResolvers<unknown> | undefined
  #lastId = 0

  constructor({ path, maxBytes, maxHeapMb = MAX_HEAP_MB }: ReaderProcessOptions) {
    const program = fileURLToPath(siblingModule('reader-process-main', import.meta.url))
    this.#child = fork(program, [path, String(maxBytes)], {
      serialization: 'advanced',
      // Not those of the service: a debugger, for one, takes a port that is in use.
      execArgv: [`--max-old-space-size=${maxHeapMb}`, '--max-semi-space-size=16'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (message) => {
      const reply = message as JobReply
      if (reply.id === START_ID) this.#start(reply)
      else this.#answer(reply)
    })
    // Awaited when there is a job for the process; it may fail before that.
    this.#ready.promise.catch(() => {})
    this.#child.on('error', () => this.#end())
    this.#child.on('exit', (_, signal) => this.#end(signal))
    this.#unref()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Resolves when the process can run a job; rejects when it cannot start. */
  async untilReady(): Promise<void> {
    this.#ref()
    await this.#ready.promise
  }

  async run(name: string, input: unknown): Promise<unknown> {
    this.#lastId += 1
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting = waiting
    this.#ref()
    this.#child.send({ id: this.#lastId, name, input }, (error) => {
      if (error !== null) this.#end()
    })
    return waiting.promise
  }

  /** Ends the process in the middle of whatever it does. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasEnded) return
    this.#child.ref()
    const exited = new Promise((resolve) => {
      this.#child.once('exit', resolve)
      // A process that could not be started does not exit.
      this.#child.once('error', resolve)
    })
    this.kill()
    await exited
  }

  #answer(reply: JobReply): void {
    const waiting = this.#waiting
    if (waiting === undefined || reply.id !== this.#lastId) return
    this.#waiting = undefined
    this.#unref()
    if ('result' in reply) waiting.resolve(reply.result)
    else waiting.reject(failureOf(reply))
  }

  #end(signal: NodeJS.Signals | null = null): void {
    this.#hasEnded = true
    const reason = 'The process that ran the query ended.'
    const error = new ObjectQueryError('ServiceUnavailable', { reason })
    this.#ready.reject(error)
    const isTooLarge = signal === MEMORY_LIMIT_SIGNAL
    this.#waiting?.reject(isTooLarge ? new ObjectQueryError('QueryMemoryExceededLimit') : error)
    this.#waiting = undefined
  }

  #start(reply: JobReply): void {
    if (!('result' in reply)) {
      this.#ready.reject(failureOf(reply))
      this.kill()
      return
    }
    this.#ready.resolve()
    // Not before: a process that starts slowly on a busy machine would hold up its first query.
    lowerProcessPriority(this.#child.pid)
    if (this.#waiting === undefined) this.#unref()
  }

  /** A reader keeps the service alive while it has work, and only then. */
  #ref(): void {
    this.#child.ref()
    this.#child.channel?.ref()
  }

  #unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }
}
