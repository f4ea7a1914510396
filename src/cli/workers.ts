import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import type { Config } from '../server/config.ts'
import type { Log } from '../server/log.ts'
import { openKeptStore, type Server, startServer } from '../server/server.ts'
import { closeUntakenConnections } from './untaken-connections.ts'

/**
 * Several processes that serve on one port, and the one that started them: it hands them the
 * connections, keeps the store in order and puts a new process in the place of one that ended.
 */

/** How long a process that was told to stop may take longer than it allows itself. */
const LATE_MS = 1000
/** A process that served this long did not end because of how it started. */
const STEADY_MS = 10_000
/** The pause before a process is replaced; it doubles each time the process ends at once. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** Ends of one process after the other, each at once, after which there is no use in another. */
const ENDS_IN_VAIN = 5

/** What a process tells the one that started it. */
type WorkerMessage =
  | { readonly listening: string }
  | { readonly failed: { readonly message: string; readonly code: string | undefined } }

/** Processes that serve as one; disposing stops them all. */
export interface WorkerPool extends Server {
  /** Rejects when the processes cannot be kept running. */
  readonly failed: Promise<never>
}

export function workerCount(workers: Config['OQS_WORKERS']): number {
  return workers === 'auto' ? availableParallelism() : workers
}

/** Whether this process is one of several. */
export function isWorker(config: Config): boolean {
  return cluster.isWorker && workerCount(config.OQS_WORKERS) > 1
}

/** Serves as one of several processes. What goes wrong is told to the one that started it. */
export async function serveAsWorker(
  config: Config,
  /** Runs before anybody hears of the server, so that it can be stopped from then on. */
  prepare: (server: Server) => void,
): Promise<void> {
  try {
    const server = await startServer(config, { keepsHouse: false })
    prepare(server)
    tell({ listening: server.url })
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    tell({ failed: { message, code } }, () => process.exit(1))
  }
}

function tell(message: WorkerMessage, done?: () => void): void {
  // Without the one that started it, this process ends by itself.
  process.send?.(message, undefined, undefined, () => done?.())
}

/** Starts the processes and gives them back when all of them listen. */
export async function startWorkers(config: Config, stopTimeoutMs: number): Promise<WorkerPool> {
  await using parts = new AsyncDisposableStack()
  // Opened before the first process starts, so that they all find the schema of this release.
  const { store, log } = parts.use(await openKeptStore(config))
  const supervisor = new Supervisor(config, { log, stopTimeoutMs })
  parts.defer(() => supervisor.stop())
  const url = await supervisor.start()
  const running = parts.move()
  return {
    url,
    store,
    log,
    failed: supervisor.failed,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** The place of one process: the one that runs now, or the time until the next. */
interface Place {
  worker?: Worker | undefined
  listeningSince?: number | undefined
  replacement?: NodeJS.Timeout
  /** How often in a row a process ended at once. */
  endsInVain: number
  /** Settled when the process that runs now has ended; whether it ended as it should. */
  ended: Promise<boolean>
}

interface End {
  readonly status: number | undefined
  readonly signal: string | undefined
  /** What the process said before it ended. */
  readonly failure: Error | undefined
}

class Supervisor {
  readonly failed: Promise<never>
  readonly #log: Log
  readonly #stopTimeoutMs: number
  readonly #places: readonly Place[]
  readonly #giveUp: (reason: Error) => void
  /** What new processes are told to listen on. */
  #port: number
  /** What the first one listened on. */
  #url = ''
  #state: 'starting' | 'running' | 'failed' | 'stopping' = 'starting'

  constructor(config: Config, { log, stopTimeoutMs }: { log: Log; stopTimeoutMs: number }) {
    const { promise, reject } = Promise.withResolvers<never>()
    // Looked at only by whoever waits for it.
    promise.catch(() => {})
    this.failed = promise
    this.#giveUp = reject
    this.#log = log
    this.#stopTimeoutMs = stopTimeoutMs
    this.#port = config.OQS_PORT
    this.#places = Array.from({ length: workerCount(config.OQS_WORKERS) }, () => ({
      endsInVain: 0,
      ended: Promise.resolve(true),
    }))
  }

  /** Starts all processes; if one fails, so does the start. */
  async start(): Promise<string> {
    const [url = ''] = await Promise.all(this.#places.map((place) => this.#fork(place)))
    // One that listened may have ended while another still started.
    if (this.#places.some(({ worker }) => worker === undefined)) {
      throw new Error('a process ended as soon as it listened')
    }
    this.#url = url
    this.#state = 'running'
    return url
  }

  /** Tells all processes to stop, and waits for those that finish what is under way. */
  async stop(): Promise<void> {
    const wasRunning = this.#state === 'running'
    this.#state = 'stopping'
    const running = this.#places.filter(({ worker }) => worker !== undefined)
    for (const { replacement } of this.#places) clearTimeout(replacement)
    for (const { worker } of running) worker?.process.kill('SIGTERM')
    const late = setTimeout(() => {
      for (const { worker } of running) worker?.process.kill('SIGKILL')
    }, this.#stopTimeoutMs + LATE_MS)
    const clean = await Promise.all(running.map(({ ended }) => ended))
    clearTimeout(late)
    // What went wrong before matters more.
    if (wasRunning && clean.includes(false)) {
      throw new Error('not every process could finish what was under way')
    }
  }

  /** Starts a process; settled when it listens, or has ended without. */
  #fork(place: Place): Promise<string> {
    const started = Promise.withResolvers<string>()
    const ended = Promise.withResolvers<boolean>()
    let failure: Error | undefined
    const worker = cluster.fork({
      OQS_PORT: String(this.#port),
      OQS_WORKERS: String(this.#places.length),
    })
    closeUntakenConnections(worker)
    const end = (status: number | null, signal: string | null) => {
      const wasListening = place.listeningSince !== undefined
      // What had not begun to serve has nothing to finish, however it ends.
      ended.resolve(status === 0 || !wasListening)
      const how = { status: status ?? undefined, signal: signal ?? undefined, failure }
      started.reject(failure ?? new Error(`a process ended before it listened (${describe(how)})`))
      this.#onEnd(place, how)
    }
    worker.on('message', (message: WorkerMessage) => {
      if ('failed' in message) {
        failure = Object.assign(new Error(message.failed.message), { code: message.failed.code })
      } else {
        place.listeningSince = performance.now()
        started.resolve(message.listening)
        // With all others gone, a free port that was taken for them is gone as well.
        if (this.#url !== '' && message.listening !== this.#url) worker.process.kill('SIGTERM')
      }
    })
    worker.on('exit', end)
    worker.on('error', (error) => {
      // A process that could not be made never exits; other errors are followed by an exit.
      if (worker.process.pid !== undefined) return
      failure = error
      end(null, null)
    })
    Object.assign(place, { worker, ended: ended.promise, listeningSince: undefined })
    return started.promise
  }

  #onEnd(place: Place, end: End): void {
    const workerPid = place.worker?.process.pid
    const servedMs = isServing(place) ? performance.now() - place.listeningSince : 0
    place.worker = undefined
    place.listeningSince = undefined
    if (this.#state !== 'running') return
    const { port } = new URL(this.#url)
    if (!this.#places.some(isServing) && port !== '') this.#port = Number(port)
    place.endsInVain = servedMs < STEADY_MS ? place.endsInVain + 1 : 0
    if (place.endsInVain >= ENDS_IN_VAIN && !this.#places.some(isSteady)) {
      this.#state = 'failed'
      const times = `${ENDS_IN_VAIN} times in a row, the last with ${describe(end)}`
      this.#giveUp(new Error(`the processes end as soon as they are started: ${times}`))
      return
    }
    const restartInMs = pauseAfter(place.endsInVain)
    const { status, signal, failure } = end
    const reason = failure?.message
    this.#log({ event: 'workerEnded', workerPid, status, signal, reason, restartInMs })
    place.replacement = setTimeout(() => {
      // Why it fails is seen when it ends.
      this.#fork(place).catch(() => {})
    }, restartInMs)
  }
}

function isServing(place: Place): place is Place & { listeningSince: number } {
  return place.listeningSince !== undefined
}

function isSteady(place: Place): boolean {
  return isServing(place) && performance.now() - place.listeningSince >= STEADY_MS
}

function pauseAfter(endsInVain: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, endsInVain - 1), LONGEST_PAUSE_MS)
}

function describe({ status, signal, failure }: End): string {
  return failure?.message ?? (signal === undefined ? `exit status ${status}` : `signal ${signal}`)
}
