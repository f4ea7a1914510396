/**
 * Runs slow queries in reader processes, so that neither pages nor commits wait for them. Callers
 * share the processes fairly. A query ends when its time is over or its client has gone: then its
 * process is killed and replaced.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CallerBuckets } from '../../../admission/caller-buckets.ts'
import { FairQueue } from '../../../admission/fair-queue.ts'
import type { RequestContext } from '../../../admission/request-context.ts'
import { ObjectQueryError } from '../../../contract/errors.ts'
import { MAX_QUEUE_WAIT_MS, queryTimedOut, TOO_MANY_SLOW_QUERIES } from '../../slow-queries.ts'
import type { ReadJobs } from './read-jobs.ts'
import { ReaderProcess } from './reader-process.ts'
import type { JobInput, JobResult } from './thread-jobs.ts'

export interface ReaderPoolOptions {
  readonly path: string
  /** Processes; one caller uses all of them but one. */
  readonly size: number
  readonly queryTimeoutMs: number
  /** Bytes of its own that each process may take. */
  readonly maxBytes: number
}

interface Reader {
  readonly process: ReaderProcess
  isBusy: boolean
  /** Walks find what their last page gathered in the process that gathered it. */
  lastCallerId: string
}

/**
 * Queries of one caller that end as soon as their client has gone. Starting the next process stops
 * the main thread for 10 ms and more, so a caller that gives up queries without pause keeps its slot
 * for longer.
 */
const PROMPT_KILLS = { capacity: 5, tokensPerSecond: 0.5 }
const KILL_GRACE_MS = 1000
const UNREF = { ref: false }

export class ReaderPool implements AsyncDisposable {
  readonly #options: ReaderPoolOptions
  readonly #queue: FairQueue
  readonly #stopping = new AbortController()
  readonly #ending = new Set<Promise<void>>()
  readonly #promptKills = new CallerBuckets(PROMPT_KILLS)
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

  /** Refuses waiting queries now, and stops running ones when the grace is over. */
  drain(reason: string, graceMs: number): void {
    this.#queue.close(reason)
    const error = new ObjectQueryError('ServiceUnavailable', { reason })
    setTimeout(() => this.#stopping.abort(error), graceMs).unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
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
    const reader = this.#takeReader(callerId)
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
      // The slot is kept until the new process is ready, so that queries which are given up one
      // after the other cannot start processes without end.
      if (!isDone && signal.aborted && !this.#promptKills.take(callerId)) {
        await Promise.race([running.catch(() => {}), sleep(KILL_GRACE_MS, undefined, UNREF)])
      }
      if (!isDone) await this.#replace(reader)
      reader.isBusy = false
    }
  }

  /** An idle process, or a new one: there are never more than slots. */
  #takeReader(callerId: string): Reader {
    this.#readers = this.#readers.filter(({ process }) => !process.hasEnded)
    const idle = this.#readers.filter(({ isBusy }) => !isBusy)
    const reader =
      idle.find(({ lastCallerId }) => lastCallerId === callerId) ?? idle[0] ?? this.#startReader()
    reader.isBusy = true
    reader.lastCallerId = callerId
    return reader
  }

  #startReader(): Reader {
    const reader = { process: new ReaderProcess(this.#options), isBusy: false, lastCallerId: '' }
    this.#readers.push(reader)
    return reader
  }

  /** The next query should not wait for a process to start. */
  async #replace(reader: Reader): Promise<void> {
    this.#readers = this.#readers.filter((one) => one !== reader)
    const ended = reader.process[Symbol.asyncDispose]().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    if (this.#stopping.signal.aborted) return
    // If it cannot start, the next query finds out.
    await this.#startReader()
      .process.untilReady()
      .catch(() => {})
  }
}
