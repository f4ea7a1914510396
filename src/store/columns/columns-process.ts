/** Starts the columns process, and another one if it ends or hangs. */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { siblingModule } from '../../contract/sibling-module.ts'
import { nodeFlags } from '../node-flags.ts'
import type {
  ColumnsProcessOptions,
  ProcessMessage,
  ServiceMessage,
} from './process/columns-process-main.ts'
import { heapLimitMb } from './process/heap-limit.ts'
import { Pulse } from './process/pulse.ts'

/** The pause before the process is started again; it doubles with each early end. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 60_000
/** A process that ran this long did not end because of how it started. */
const STABLE_MS = 60_000

/** How often a process must give a sign of life. */
const PULSE_MS = 150
/**
 * A process that sleeps or is stopped for this many intervals, although a message waits for it, hangs:
 * one that is busy, or that waits for a busy machine, is runnable.
 */
const ASLEEP_MAX = 3
/** A silent process that is runnable is slow or in a loop: a long step takes time. */
const SILENT_MAX = 400

const FLAGS = [
  // Each thread would keep three times 16 MB for new objects, whatever it has to do.
  '--max-semi-space-size=2',
  // What the builder leaves behind is collected on its own thread, which has a low priority.
  '--single-threaded-gc',
  // Loops over rows that Maglev inlines are never compiled by Turbofan, and take twice as long.
  '--no-maglev-inlining',
]

/** Of glibc: memory that threads have freed goes back to the system, also if others start and end. */
const MALLOC = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}

/**
 * The process that answers, and another one that takes over from it while it hangs. The first is
 * ended when the second listens: nobody waits longer for answers than a process needs to start.
 */
export class ColumnsProcess implements AsyncDisposable {
  readonly #options: ColumnsProcessOptions
  readonly #onFailure: (reason: string) => void
  #current: StartedProcess | undefined
  #successor: StartedProcess | undefined
  #restart: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS
  #isStopping = false

  constructor(options: ColumnsProcessOptions, onFailure: (reason: string) => void) {
    this.#options = options
    this.#onFailure = onFailure
    this.#current = this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#restart)
    // Whatever they are doing can be lost.
    await Promise.all([this.#current?.end(), this.#successor?.end()])
  }

  #start(): StartedProcess {
    const started: StartedProcess = new StartedProcess(this.#options, {
      onFailure: this.#onFailure,
      onListening: () => this.#takeOver(started),
      onSignOfLife: () => this.#keep(started),
      onAsleep: (reason) => this.#replace(started, reason),
      onExit: (reason) => this.#onExit(started, reason),
    })
    return started
  }

  /** Starts a process that takes over from one that hangs, unless that one was started just now. */
  #replace(hanging: StartedProcess, reason: string): void {
    if (this.#isStopping || hanging.ageMs < this.#pauseMs) return
    if (hanging === this.#successor) {
      // The next time that the current process is found asleep, it gets another one.
      this.#successor = undefined
      void hanging.end()
    } else if (hanging === this.#current && this.#successor === undefined) {
      this.#onFailure(`${reason}; another one takes over`)
      this.#lengthenPause(hanging)
      this.#successor = this.#start()
    }
  }

  #takeOver(successor: StartedProcess): void {
    if (successor !== this.#successor) return
    const hanging = this.#current
    this.#current = successor
    this.#successor = undefined
    // Its connections close, so that its clients connect again.
    void hanging?.end()
  }

  /** A process that reacts again before another one has taken over goes on. */
  #keep(reacting: StartedProcess): void {
    if (reacting !== this.#current || this.#successor === undefined) return
    void this.#successor.end()
    this.#successor = undefined
  }

  #onExit(ended: StartedProcess, reason: string): void {
    if (ended === this.#successor) this.#successor = undefined
    else if (ended === this.#current) this.#current = undefined
    else return
    if (this.#isStopping) return
    this.#onFailure(`the columns process ended: ${reason}`)
    if (this.#current !== undefined) return
    this.#current = this.#successor
    this.#successor = undefined
    if (this.#current !== undefined) return
    this.#lengthenPause(ended)
    this.#restart = setTimeout(() => {
      this.#current = this.#start()
    }, this.#pauseMs)
    this.#restart.unref()
  }

  #lengthenPause({ ageMs }: StartedProcess): void {
    const isStable = ageMs > STABLE_MS
    this.#pauseMs = isStable ? FIRST_PAUSE_MS : Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
  }
}

interface ProcessEvents {
  readonly onFailure: (reason: string) => void
  readonly onListening: () => void
  readonly onSignOfLife: () => void
  /** Called again and again while the process hangs. */
  readonly onAsleep: (reason: string) => void
  readonly onExit: (reason: string) => void
}

/** A process, which is killed if it is silent for a minute. */
class StartedProcess {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #startedAtMs = performance.now()

  constructor(options: ColumnsProcessOptions, events: ProcessEvents) {
    const program = fileURLToPath(siblingModule('process/columns-process-main', import.meta.url))
    const heapLimit = `--max-old-space-size=${heapLimitMb(options.maxBytes)}`
    const child = fork(program, [], {
      execArgv: nodeFlags([...FLAGS, heapLimit]),
      env: { ...MALLOC, ...process.env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child = child
    const send = (message: ServiceMessage) => child.send(message, () => {})
    // Not as an argument, which other users of the machine could read: it may contain a password.
    send(options)
    const pulse = this.#watch(events, () => send('ping'))
    child.on('error', ({ message }) => events.onFailure(message))
    child.on('message', (message) => {
      pulse.heard()
      events.onSignOfLife()
      const received = message as ProcessMessage
      if (received === 'listening') events.onListening()
      else if (received !== 'alive') events.onFailure(received.failed)
    })
    this.#exited = new Promise<void>((resolve) => {
      child.on('exit', (status, signal) => {
        pulse.stop()
        events.onExit(String(signal ?? status))
        resolve()
      })
    })
    child.unref()
    child.channel?.unref()
  }

  get ageMs(): number {
    return performance.now() - this.#startedAtMs
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  #watch({ onAsleep, onFailure }: ProcessEvents, ask: () => void): Pulse {
    let asleep = 0
    const onSilence = (silent: number) => {
      asleep = isAsleep(this.#child.pid) ? asleep + 1 : 0
      const seconds = (silent * PULSE_MS) / 1000
      const reason = `the columns process has not reacted for ${seconds} seconds`
      if (Math.min(silent, asleep) >= ASLEEP_MAX) onAsleep(reason)
      if (silent < SILENT_MAX) return
      onFailure(reason)
      this.#child.kill('SIGKILL')
    }
    const pulse = new Pulse({ intervalMs: PULSE_MS, ask, onSilence })
    pulse.start()
    return pulse
  }
}

/** True if the main thread of a process sleeps or was stopped; false also where the system cannot tell. */
function isAsleep(pid: number | undefined): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The state follows the name of the program, which may contain anything.
    return /^\) [StT] /.test(stat.slice(stat.lastIndexOf(')')))
  } catch {
    return false
  }
}
