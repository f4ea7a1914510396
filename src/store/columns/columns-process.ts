/** Starts the columns process, and starts it again if it ends or hangs. */
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

/** How often the process must give a sign of life. */
const PULSE_MS = 1000
/** A process that sleeps for this long although a message waits for it will never read it. */
const ASLEEP_MAX = 10
/** A silent process that is runnable is slow or in a loop: on a busy machine, a long step takes time. */
const SILENT_MAX = 60

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

export class ColumnsProcess implements AsyncDisposable {
  readonly #options: ColumnsProcessOptions
  readonly #onFailure: (reason: string) => void
  #child: ChildProcess | undefined
  #restart: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS
  #isStopping = false

  constructor(options: ColumnsProcessOptions, onFailure: (reason: string) => void) {
    this.#options = options
    this.#onFailure = onFailure
    this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (child === undefined) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    // Whatever it is doing can be lost.
    child.kill('SIGKILL')
    await exited
  }

  #start(): void {
    const startedAt = performance.now()
    const program = fileURLToPath(siblingModule('process/columns-process-main', import.meta.url))
    const child = fork(program, [], {
      execArgv: nodeFlags([
        ...FLAGS,
        `--max-old-space-size=${heapLimitMb(this.#options.maxBytes)}`,
      ]),
      env: { ...MALLOC, ...process.env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const send = (message: ServiceMessage) => child.send(message, () => {})
    // Not as an argument, which other users of the machine could read: it may contain a password.
    send(this.#options)
    this.#child = child
    const pulse = this.#watch(child, () => send('ping'))
    child.on('error', ({ message }) => this.#onFailure(message))
    child.on('message', (message) => {
      pulse.heard()
      const received = message as ProcessMessage
      if (received !== 'alive') this.#onFailure(received.failed)
    })
    child.on('exit', (status, signal) => {
      pulse.stop()
      this.#child = undefined
      if (this.#isStopping) return
      this.#onFailure(`the columns process ended: ${signal ?? status}`)
      const isStable = performance.now() - startedAt > STABLE_MS
      this.#pauseMs = isStable ? FIRST_PAUSE_MS : Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
      this.#restart = setTimeout(() => this.#start(), this.#pauseMs)
      this.#restart.unref()
    })
    child.unref()
    child.channel?.unref()
  }

  /** Kills the process if it hangs, so that it is started again. */
  #watch(child: ChildProcess, ask: () => void): Pulse {
    let asleep = 0
    const onSilence = (silent: number) => {
      asleep = isAsleep(child.pid) ? asleep + 1 : 0
      if (Math.min(silent, asleep) < ASLEEP_MAX && silent < SILENT_MAX) return
      this.#onFailure(`the columns process has not reacted for ${silent} seconds`)
      child.kill('SIGKILL')
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
