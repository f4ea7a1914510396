/** The service's side of a reader process: sends one job at a time, and kills it to stop a job. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { lowerProcessPriority } from '../../../admission/background-priority.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { siblingModule } from '../../../contract/sibling-module.ts'
import { nodeFlags } from '../../node-flags.ts'
import type { ReaderExit } from '../../object-store.ts'
import { failureOf, type JobReply, joinResult, type ResultPiece, START_ID } from './thread-jobs.ts'

export interface ReaderProcessOptions {
  /** The database file. */
  readonly path: string
  /** The limit of private memory, where the operating system reports it. */
  readonly maxBytes: number
  /** The limit of the JavaScript heap, in megabytes. */
  readonly maxHeapMb?: number
  /** Whether the process starts with the low priority of its queries, because nobody waits for it. */
  readonly startsSlowly?: boolean
  /** Called when the process ends and was not killed by the service. */
  readonly onExit?: ((exit: ReaderExit) => void) | undefined
}

/** Far more than the largest result. */
const MAX_HEAP_MB = 256
/** Ends a process that exceeds a memory limit: sent by its watcher, and raised by Node.js itself. */
const MEMORY_LIMIT_SIGNAL = 'SIGABRT'

export class ReaderProcess {
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<void>()
  #hasEnded = false
  #waiting: PromiseWithResolvers<unknown> | undefined
  /** Of the result that is being received: jobs run one after the other. */
  #pieces: Uint8Array[] = []
  #lastId = 0

  constructor({ path, maxBytes, maxHeapMb = MAX_HEAP_MB, ...options }: ReaderProcessOptions) {
    const { startsSlowly = false, onExit } = options
    const program = fileURLToPath(siblingModule('reader-process-main', import.meta.url))
    this.#child = fork(program, [path, String(maxBytes)], {
      serialization: 'advanced',
      // Not inherited from the service: a debugger, for example, would need the same port.
      execArgv: nodeFlags([`--max-old-space-size=${maxHeapMb}`, '--max-semi-space-size=16']),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child.on('message', (message) => {
      const reply = message as JobReply | ResultPiece
      if ('piece' in reply) this.#pieces.push(reply.piece)
      else if (reply.id === START_ID) this.#start(reply)
      else this.#answer(reply)
    })
    if (startsSlowly) lowerProcessPriority(this.#child.pid)
    // Awaited by the first job, but it may reject before that.
    this.#ready.promise.catch(() => {})
    this.#child.on('error', () => this.#end())
    this.#child.on('exit', (status, signal) => {
      this.#end(signal)
      if (this.#child.killed) return
      const readerPid = this.#child.pid
      onExit?.({ readerPid, status: status ?? undefined, signal: signal ?? undefined })
    })
    this.#unref()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Resolves when the process is ready to run a job. Rejects if it cannot start. */
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

  /** Kills the process, even in the middle of a statement. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasEnded) return
    this.#child.ref()
    const exited = new Promise((resolve) => {
      this.#child.once('exit', resolve)
      // A process that could not be started emits no exit event.
      this.#child.once('error', resolve)
    })
    this.kill()
    await exited
  }

  #answer(reply: JobReply): void {
    const waiting = this.#waiting
    const pieces = this.#pieces
    this.#pieces = []
    if (waiting === undefined || reply.id !== this.#lastId) return
    this.#waiting = undefined
    this.#unref()
    if ('result' in reply) waiting.resolve(joinResult(pieces, reply.result))
    else waiting.reject(failureOf(reply))
  }

  #end(signal: NodeJS.Signals | null = null): void {
    this.#hasEnded = true
    const reason = 'The process that ran the query ended. Try again.'
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
    // Not earlier, because starting with low priority on a busy machine would delay the first query.
    lowerProcessPriority(this.#child.pid)
    if (this.#waiting === undefined) this.#unref()
  }

  /** Keeps the service alive while the process has work. */
  #ref(): void {
    this.#child.ref()
    this.#child.channel?.ref()
  }

  #unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }
}
