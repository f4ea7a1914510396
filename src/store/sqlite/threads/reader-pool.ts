/**
 * Runs slow queries in reader processes, so that neither pages nor commits wait for them. Callers
 * share the processes fairly. When a query times out or its client disconnects, its process is
 * killed and replaced.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CallerBuckets } from '../../../admission/caller-limits.ts'
import { FairQueue, type QueueState } from '../../../admission/fair-queue.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { ReaderExit } from '../../object-store.ts'
import type { RequestContext } from '../../port/request-context.ts'
import {
  ABANDONED_GRACE_MS,
  MAX_QUEUE_WAIT_MS,
  PROMPT_STOPS,
  queryTimedOut,
  TOO_MANY_SLOW_QUERIES,
} from '../../slow-queries.ts'
import type { ReadJobs } from './read-jobs.ts'
import { ReaderProcess } from './reader-process.ts'
import type { JobInput, JobResult } from './thread-jobs.ts'

export interface ReaderPoolOptions {
  readonly path: string
  /** The number of processes; one caller uses at most all but one of them. */
  readonly size: number
  readonly queryTimeoutMs: number
  /** Private memory that each process may use. */
  readonly maxBytes: number
  readonly onExit?: ((exit: ReaderExit) => void) | undefined
}

interface Reader {
  readonly process: ReaderProcess
  isBusy: boolean
}

const UNREF = { ref: false }

export class ReaderPool implements AsyncDisposable {
  readonly #options: ReaderPoolOptions
  readonly #queue: FairQueue
  readonly #stopping = new AbortController()
  readonly #ending = new Set<Promise<void>>()
  readonly #promptStops = new CallerBuckets(PROMPT_STOPS)
  #readers: Reader[] = []

  constructor(options: ReaderPoolOptions) {
    this.#options = options
    this.#queue = new FairQueue({
      slots: options.size,
      slotsPerCaller: options.size - 1,
      maxWaitMs: MAX_QUEUE_WAIT_MS,
      busyReason: TOO_MANY_SLOW_QUERIES,
    })
  }

  run<Name extends keyof ReadJobs & string>(
    name: Name,
    input: JobInput<ReadJobs[Name]>,
    context: RequestContext,
  ): Promise<JobResult<ReadJobs[Name]>> {
    const { callerId } = context
    const signal = context.signal()
    return this.#queue.run({ callerId, signal }, () =>
      this.#runInProcess(name, input, callerId, signal),
    ) as Promise<JobResult<ReadJobs[Name]>>
  }

  /** Starts as many processes as one caller can use. */
  prepare(): void {
    this.#readers = this.#readers.filter(({ process }) => !process.hasEnded)
    const wanted = this.#stopping.signal.aborted ? 0 : this.#options.size - 1
    while (this.#readers.length < wanted) this.#startReader()
  }

  state(): QueueState {
    return this.#queue.state()
  }

  /** Refuses waiting queries now, and stops running ones after the grace period. */
  drain(reason: string, graceMs: number): void {
    this.#queue.close(reason)
    const error = new ObjectQueryError('ServiceUnavailable', { reason })
    setTimeout(() => this.#stopping.abort(error), graceMs).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reason = 'The store is closed.'
    this.#queue.close(reason)
    this.#stopping.abort(new ObjectQueryError('ServiceUnavailable', { reason }))
    await Promise.all([
      ...this.#readers.map((reader) => reader.process[Symbol.asyncDispose]()),
      ...this.#ending,
    ])
  }

  async #runInProcess(
    name: string,
    input: unknown,
    callerId: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    signal.throwIfAborted()
    const { queryTimeoutMs } = this.#options
    const stop = Promise.withResolvers<never>()
    const reader = this.#takeReader()
    let timer: NodeJS.Timeout | undefined
    const signals = [signal, this.#stopping.signal]
    const onAbort = () => stop.reject(signals.find(({ aborted }) => aborted)?.reason)
    for (const one of signals) one.addEventListener('abort', onAbort)
    if (signals.some(({ aborted }) => aborted)) onAbort()
    let isDone = false
    let isStopped = false
    const running = (async () => {
      await reader.process.untilReady()
      if (isStopped) return
      timer = setTimeout(() => stop.reject(queryTimedOut(queryTimeoutMs)), queryTimeoutMs)
      return reader.process.run(name, input)
    })().finally(() => {
      isDone = true
    })
    try {
      return await Promise.race([running, stop.promise])
    } finally {
      isStopped = true
      clearTimeout(timer)
      for (const one of signals) one.removeEventListener('abort', onAbort)
      // The slot is held until the new process is ready, so that abandoned queries cannot start an
      // unlimited number of processes.
      if (!isDone && signal.aborted && !this.#promptStops.take(callerId)) {
        await Promise.race([running.catch(() => {}), sleep(ABANDONED_GRACE_MS, undefined, UNREF)])
      }
      if (!isDone) await this.#replace(reader)
      reader.isBusy = false
    }
  }

  /** Returns an idle process, or a new one; there are never more processes than slots. */
  #takeReader(): Reader {
    this.#readers = this.#readers.filter(({ process }) => !process.hasEnded)
    const reader = this.#readers.find(({ isBusy }) => !isBusy) ?? this.#startReader()
    reader.isBusy = true
    return reader
  }

  #startReader(startsSlowly = false): Reader {
    const process = new ReaderProcess({ ...this.#options, startsSlowly })
    const reader = { process, isBusy: false }
    this.#readers.push(reader)
    return reader
  }

  /** Kills a process and starts the next one, so that the next query does not wait for it. */
  async #replace(reader: Reader): Promise<void> {
    this.#readers = this.#readers.filter((one) => one !== reader)
    const ended = reader.process[Symbol.asyncDispose]().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    if (this.#stopping.signal.aborted) return
    // It may start slowly: nobody gets it, or its slot, before it is ready. If it cannot start, the
    // next query fails.
    const next = this.#startReader(true)
    next.isBusy = true
    await next.process.untilReady().catch(() => {})
    next.isBusy = false
  }
}
