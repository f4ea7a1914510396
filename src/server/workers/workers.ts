/**
 * Worker processes that share one port, and their supervisor: it passes connections to them, runs
 * the maintenance of the store and replaces a worker that ends.
 */
import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import type { Log, ServerEvent } from '../log.ts'
import { openMaintainedStore } from '../maintained-store.ts'
import { ServiceMetrics } from '../metrics/service-metrics.ts'
import type { Server } from '../server.ts'
import { loadServer } from './load-server.ts'
import { onStopSignal } from './stop-signals.ts'
import { closeUntakenConnections } from './untaken-connections.ts'
import { followDamage, WorkerDamage, withDamageReports } from './worker-damage.ts'
import { shareMetrics, WorkerMetrics } from './worker-metrics.ts'
import { passOnPublications, sharePublications } from './worker-publications.ts'

/** How long after its own stop timeout a worker is killed. */
const KILL_MARGIN_MS = 1000
/** A worker that served this long did not fail because of how it started. */
const STABLE_MS = 10_000
/** The pause before a worker is replaced; it doubles with each early exit. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** Consecutive early exits in one slot after which the supervisor gives up. */
const MAX_EARLY_EXITS = 5

/** A message of a worker to its supervisor. */
type WorkerMessage =
  | { readonly listening: string }
  | { readonly failed: { readonly message: string; readonly code: string | undefined } }

/** Worker processes that serve as one service; disposing stops them all. */
export interface WorkerPool extends Server {
  /** Rejects if the workers cannot be kept running. */
  readonly failed: Promise<never>
}

export function workerCount(workers: Config['OQS_WORKERS']): number {
  return workers === 'auto' ? availableParallelism() : workers
}

/** Returns whether this process is a worker of a supervisor. */
export function isWorker(config: Config): boolean {
  return cluster.isWorker && workerCount(config.OQS_WORKERS) > 1
}

/** Serves as a worker and reports to the supervisor, also if the start fails. */
export async function serveAsWorker(
  config: Config,
  log: Log,
  /** Runs before the server is announced, so that it can be stopped from then on. */
  prepare: (server: Server) => void,
): Promise<void> {
  // A supervisor that is gone cannot receive messages. Node.js ends the worker when it notices.
  cluster.worker?.on('error', () => {})
  try {
    const { startServer, explorerOpener } = await loadServer()
    const explorer = explorerOpener(log)
    const options = { isMaintainer: false, explorer, shareMetrics }
    const server = await startServer(config, { ...options, log: withDamageReports(log) })
    followDamage(server.store)
    sharePublications(server.store)
    prepare(server)
    report({ listening: server.url })
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    report({ failed: { message, code } }, () => process.exit(1))
  }
}

function report(message: WorkerMessage, done?: () => void): void {
  // Without a supervisor there is no channel, and Node.js ends the worker.
  process.send?.(message, undefined, undefined, () => done?.())
}

/** Starts the workers; resolves when all of them listen. */
export async function startWorkers(
  config: Config,
  log: Log,
  stopTimeoutMs: number,
): Promise<WorkerPool> {
  await using parts = new AsyncDisposableStack()
  // Opened first, so that the schema is migrated before a worker opens the store.
  const metrics = config.OQS_METRICS === 'off' ? undefined : parts.use(new ServiceMetrics())
  const damage = new WorkerDamage()
  const observe = (event: ServerEvent) => {
    damage.observe(event)
    log(event)
  }
  const counted = metrics?.observing(observe) ?? observe
  const { store } = parts.use(await openMaintainedStore(config, { log: counted }))
  parts.use(damage.follow(store))
  parts.use(passOnPublications(store))
  const supervisor = new Supervisor(config, { log, stopTimeoutMs, metrics, damage })
  parts.defer(() => supervisor.stop())
  // The workers end first, because a worker cannot start without its supervisor.
  using _ = onStopSignal(async (signal) => {
    await supervisor.stop()
    process.kill(process.pid, signal)
  })
  const url = await supervisor.start()
  const running = parts.move()
  return {
    url,
    store,
    failed: supervisor.failed,
    reload: () => config.OQS_TLS_CERT !== undefined && supervisor.forwardHangup(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** The slot of one worker: the current process, or the timer of its replacement. */
interface WorkerSlot {
  worker?: Worker | undefined
  listeningSince?: number | undefined
  replacement?: NodeJS.Timeout
  /** Consecutive workers that exited soon after they started. */
  earlyExits: number
  /** Resolves when the current worker has exited, to whether it exited cleanly. */
  exited: Promise<boolean>
}

interface Exit {
  readonly status: number | undefined
  readonly signal: string | undefined
  /** The error that the worker reported before it exited. */
  readonly failure: Error | undefined
}

interface SupervisorOptions {
  readonly log: Log
  readonly stopTimeoutMs: number
  /** The metrics of the supervisor itself, which maintains the store; undefined if they are off. */
  readonly metrics: ServiceMetrics | undefined
  readonly damage: WorkerDamage
}

class Supervisor {
  readonly failed: Promise<never>
  readonly #log: Log
  readonly #stopTimeoutMs: number
  readonly #slots: readonly WorkerSlot[]
  readonly #giveUp: (reason: Error) => void
  readonly #metrics: WorkerMetrics
  readonly #damage: WorkerDamage
  /** The port that new workers listen on. */
  #port: number
  /** The address of the first worker. */
  #url = ''
  #state: 'starting' | 'running' | 'failed' | 'stopping' = 'starting'

  constructor(config: Config, options: SupervisorOptions) {
    const { log, stopTimeoutMs, metrics, damage } = options
    const { promise, reject } = Promise.withResolvers<never>()
    // Prevents an unhandled rejection if it is not awaited.
    promise.catch(() => {})
    this.failed = promise
    this.#giveUp = reject
    this.#log = log
    this.#stopTimeoutMs = stopTimeoutMs
    this.#damage = damage
    this.#metrics = new WorkerMetrics(
      async () => (await metrics?.collect()) ?? [],
      () => this.#slots.flatMap((slot) => (isServing(slot) && slot.worker ? [slot.worker] : [])),
    )
    this.#port = config.OQS_PORT
    this.#slots = Array.from({ length: workerCount(config.OQS_WORKERS) }, () => ({
      earlyExits: 0,
      exited: Promise.resolve(true),
    }))
  }

  /** Starts all workers; fails if one of them fails. Never settles if they are stopped meanwhile. */
  async start(): Promise<string> {
    const [url = ''] = await Promise.all(this.#slots.map((slot) => this.#fork(slot)))
    if (this.#state === 'stopping') return await new Promise(() => {})
    // A worker may have exited while another was still starting.
    if (this.#slots.some(({ worker }) => worker === undefined)) {
      throw new Error('a worker exited while the others were starting; see the log for the reason')
    }
    this.#url = url
    this.#state = 'running'
    return url
  }

  /** Lets every worker read the certificate again. */
  forwardHangup(): true {
    for (const { worker } of this.#slots) worker?.process.kill('SIGHUP')
    return true
  }

  /** Stops all workers and waits for their requests in progress. */
  async stop(): Promise<void> {
    const wasRunning = this.#state === 'running'
    this.#state = 'stopping'
    const running = this.#slots.filter(({ worker }) => worker !== undefined)
    for (const { replacement } of this.#slots) clearTimeout(replacement)
    for (const { worker } of running) worker?.process.kill('SIGTERM')
    const killTimer = setTimeout(() => {
      for (const { worker } of running) worker?.process.kill('SIGKILL')
    }, this.#stopTimeoutMs + KILL_MARGIN_MS)
    const cleanExits = await Promise.all(running.map(({ exited }) => exited))
    clearTimeout(killTimer)
    // An earlier failure is reported instead of this one.
    if (wasRunning && cleanExits.includes(false)) {
      throw new Error('a worker was killed before it finished its requests')
    }
  }

  /** Starts a worker; resolves when it listens, rejects if it exits before that. */
  #fork(slot: WorkerSlot): Promise<string> {
    const started = Promise.withResolvers<string>()
    const exited = Promise.withResolvers<boolean>()
    let failure: Error | undefined
    const worker = cluster.fork({
      OQS_PORT: String(this.#port),
      OQS_WORKERS: String(this.#slots.length),
    })
    closeUntakenConnections(worker)
    const onExit = (status: number | null, signal: string | null) => {
      const wasListening = slot.listeningSince !== undefined
      // A worker that never listened had no requests to finish.
      exited.resolve(status === 0 || !wasListening)
      const exit = { status: status ?? undefined, signal: signal ?? undefined, failure }
      if (this.#state !== 'stopping') {
        const reason = `a worker exited before it listened (${describe(exit)})`
        started.reject(failure ?? new Error(reason))
      }
      this.#onExit(slot, exit)
    }
    worker.on('message', (message: WorkerMessage) => {
      if (this.#metrics.handle(worker, message)) return
      if ('failed' in message) {
        failure = Object.assign(new Error(message.failed.message), { code: message.failed.code })
      } else if ('listening' in message) {
        slot.listeningSince = performance.now()
        started.resolve(message.listening)
        this.#damage.tell(worker)
        // With OQS_PORT=0, the free port is lost when all other workers are gone.
        if (this.#url !== '' && message.listening !== this.#url) worker.process.kill('SIGTERM')
      }
    })
    worker.on('exit', onExit)
    worker.on('error', (error) => {
      // A process that could not be spawned emits no exit; after other errors an exit follows.
      if (worker.process.pid !== undefined) return
      failure = error
      onExit(null, null)
    })
    Object.assign(slot, { worker, exited: exited.promise, listeningSince: undefined })
    return started.promise
  }

  #onExit(slot: WorkerSlot, exit: Exit): void {
    const workerPid = slot.worker?.process.pid
    const servedMs = isServing(slot) ? performance.now() - slot.listeningSince : 0
    slot.worker = undefined
    slot.listeningSince = undefined
    if (this.#state !== 'running') return
    const { port } = new URL(this.#url)
    if (!this.#slots.some(isServing) && port !== '') this.#port = Number(port)
    slot.earlyExits = servedMs < STABLE_MS ? slot.earlyExits + 1 : 0
    if (slot.earlyExits >= MAX_EARLY_EXITS && !this.#slots.some(isStable)) {
      this.#state = 'failed'
      const times = `${MAX_EARLY_EXITS} times in a row, most recently with ${describe(exit)}`
      this.#giveUp(new Error(`a worker exited soon after its start ${times}; see the log`))
      return
    }
    const restartInMs = pauseAfter(slot.earlyExits)
    const { status, signal, failure } = exit
    const reason = failure?.message
    this.#log({ event: 'workerEnded', workerPid, status, signal, reason, restartInMs })
    slot.replacement = setTimeout(() => {
      // A failure is handled when the worker exits.
      this.#fork(slot).catch(() => {})
    }, restartInMs)
  }
}

function isServing(slot: WorkerSlot): slot is WorkerSlot & { listeningSince: number } {
  return slot.listeningSince !== undefined
}

function isStable(slot: WorkerSlot): boolean {
  return isServing(slot) && performance.now() - slot.listeningSince >= STABLE_MS
}

function pauseAfter(earlyExits: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, earlyExits - 1), LONGEST_PAUSE_MS)
}

function describe({ status, signal, failure }: Exit): string {
  return failure?.message ?? (signal === undefined ? `exit status ${status}` : `signal ${signal}`)
}
