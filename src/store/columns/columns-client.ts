/** Asks the columns process. If it does not answer or hangs, the database has to. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadedColumns, PublishedColumns } from '../port/column-load.ts'
import type { ColumnsStatus } from '../port/maintenance.ts'
import { onFrames, sendFrame } from './process/frames.ts'
import {
  type ColumnsMessage,
  type ColumnsReply,
  errorOf,
  type Question,
  type Unavailable,
} from './process/messages.ts'
import { Pulse } from './process/pulse.ts'

/** How long a type that has no columns is not asked for again. */
const PAUSE_MS: Partial<Record<Unavailable['reason'], number>> = {
  building: 250,
  tooSmall: 2000,
  tooLarge: 10_000,
}
/** The pause before connecting again. */
const RECONNECT_MS = 100
const AWAITED_RECONNECT_MS = 20
/** How long a question waits for a process that was just started. */
const STARTING_MS = 2000
/** How long a load waits until its columns answer. */
const ADOPT_MS = 10_000
/** How often the process must give a sign of life while a question waits. */
const PULSE_MS = 100
/**
 * After this number of intervals the database answers, half a second after the question: losing an answer of
 * columns only costs time.
 */
const SILENT_MAX = 4

export interface AskOptions {
  readonly callerId: string
  readonly signal: AbortSignal
}

export interface ColumnsClientOptions {
  /** The memory that the columns process may use. */
  readonly maxBytes: number
  /** Whether questions wait until the process has started and has columns, for tests. */
  readonly awaitsAnswers?: boolean
  /** Starts the process, if this process is the one that starts it. */
  readonly start?: () => void
}

export class ColumnsClient implements Disposable {
  readonly #address: string
  readonly #options: ColumnsClientOptions
  readonly #waiting = new Map<number, PromiseWithResolvers<ColumnsReply | undefined>>()
  /** When a type may be asked for again, by RID. */
  readonly #pausedUntil = new Map<string, number>()
  #socket: Promise<Socket | undefined> | undefined
  readonly #pulse: Pulse
  /** Whether the process has given no sign of life; it may give one later. */
  #isSilent = false
  #hasStarted = false
  /** Until when the process may not have had the time to listen. */
  #startingUntil = -Infinity
  #lastId = 0
  #isClosed = false

  constructor(address: string, options: ColumnsClientOptions) {
    this.#address = address
    this.#options = options
    this.#pulse = new Pulse({
      intervalMs: PULSE_MS,
      ask: () => void this.#send({ ping: true }),
      onSilence: (intervals) => intervals >= SILENT_MAX && this.#onSilent(),
    })
  }

  /** Returns undefined if the database must answer. Throws what the signal is aborted with. */
  async ask(
    question: Question,
    types: readonly string[],
    { callerId, signal }: AskOptions,
  ): Promise<unknown> {
    const now = performance.now()
    if (types.some((rid) => (this.#pausedUntil.get(rid) ?? 0) > now)) return undefined
    const reply = await this.#request((id) => ({ id, callerId, question }), signal)
    if (reply === undefined) return undefined
    if ('refused' in reply) throw errorOf(reply.refused)
    if ('answer' in reply) return reply.answer
    this.#pause(reply.unavailable)
    return undefined
  }

  /** Returns what the columns process holds: nothing, until the first type is large enough. */
  async status(): Promise<ColumnsStatus> {
    const { signal } = new AbortController()
    const reply = await this.#request((id) => ({ id, status: true }), signal)
    if (reply !== undefined && 'answer' in reply) return reply.answer as ColumnsStatus
    return { residentBytes: 0, usedBytes: 0, maxBytes: this.#options.maxBytes, types: [] }
  }

  /** Has the process started: its columns will be needed soon, and questions wait for it. */
  start(): void {
    if (this.#hasStarted || this.#options.start === undefined) return
    this.#hasStarted = true
    this.#startingUntil = performance.now() + STARTING_MS
    this.#options.start()
  }

  /** Takes over columns that were built during a load; resolves once they answer, or never will. */
  async adopt(published: PublishedColumns): Promise<void> {
    const signal = AbortSignal.timeout(ADOPT_MS)
    try {
      const ask = () => this.#request((id) => ({ id, adopt: published }), signal)
      const startingUntil = performance.now() + STARTING_MS
      while ((await ask()) === undefined && performance.now() < startingUntil) {
        await sleep(RECONNECT_MS, undefined, { signal })
      }
    } catch (error) {
      // They are read, or built, in the background.
      if (!signal.aborted) throw error
    }
    this.#pausedUntil.delete(published.typeRid)
  }

  /** Has columns removed that were built during a load whose objects are not published. */
  async discard({ name }: LoadedColumns): Promise<void> {
    await this.#send({ discard: name })
  }

  /** Has the columns of types built that are worth it. */
  async prepare(types: readonly string[]): Promise<void> {
    await this.#send({ prepare: types })
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#pulse.stop()
    void this.#socket?.then((socket) => socket?.destroy())
  }

  #pause({ reason, types = [] }: Unavailable): void {
    if (this.#options.awaitsAnswers) return
    const until = performance.now() + (PAUSE_MS[reason] ?? 0)
    for (const rid of types) this.#pausedUntil.set(rid, until)
  }

  async #request(
    toMessage: (id: number) => ColumnsMessage,
    signal: AbortSignal,
  ): Promise<ColumnsReply | undefined> {
    signal.throwIfAborted()
    const socket = await this.#connected()
    signal.throwIfAborted()
    if (socket === undefined || this.#isSilent) return undefined
    this.#lastId += 1
    const id = this.#lastId
    const waiting = Promise.withResolvers<ColumnsReply | undefined>()
    this.#waiting.set(id, waiting)
    const cancel = () => {
      sendFrame(socket, { id, isCancelled: true } satisfies ColumnsMessage)
      waiting.reject(signal.reason)
    }
    signal.addEventListener('abort', cancel)
    // In tests, questions also wait for builds.
    if (!this.#options.awaitsAnswers) this.#pulse.start()
    try {
      sendFrame(socket, toMessage(id))
      return await waiting.promise
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#waiting.delete(id)
      if (this.#waiting.size === 0 && !this.#isSilent) this.#pulse.stop()
    }
  }

  async #send(message: ColumnsMessage): Promise<void> {
    const socket = await this.#connected()
    if (socket !== undefined) sendFrame(socket, message)
  }

  /** The questions that wait are answered by the database, and so are others until a sign of life. */
  #onSilent(): void {
    this.#isSilent = true
    for (const [id, waiting] of this.#waiting) {
      void this.#send({ id, isCancelled: true })
      waiting.resolve(undefined)
    }
  }

  #onSignOfLife(): void {
    this.#isSilent = false
    if (this.#waiting.size === 0) this.#pulse.stop()
    else this.#pulse.heard()
  }

  /** Returns undefined if the process cannot be reached, or could not a moment ago. */
  async #connected(): Promise<Socket | undefined> {
    this.#socket ??= this.#connect()
    const socket = await this.#socket
    if (socket !== undefined || !this.#awaitsProcess || this.#isClosed) return socket
    await sleep(AWAITED_RECONNECT_MS)
    return this.#connected()
  }

  get #awaitsProcess(): boolean {
    return this.#options.awaitsAnswers === true || performance.now() < this.#startingUntil
  }

  #connect(): Promise<Socket | undefined> {
    const { promise, resolve } = Promise.withResolvers<Socket | undefined>()
    const socket = connect(this.#address, () => resolve(socket))
    socket.on('data', () => this.#onSignOfLife())
    onFrames(socket, (message) => {
      const reply = message as ColumnsReply
      this.#waiting.get(reply.id)?.resolve(reply)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      resolve(undefined)
      // Later questions must not wait for an answer on this connection.
      this.#socket = Promise.resolve(undefined)
      this.#onSignOfLife()
      for (const waiting of this.#waiting.values()) waiting.resolve(undefined)
      const pauseMs = this.#awaitsProcess ? 0 : RECONNECT_MS
      setTimeout(() => {
        this.#socket = undefined
      }, pauseMs).unref()
    })
    // Answers that nobody waits for must not keep the process alive.
    socket.unref()
    return promise
  }
}
