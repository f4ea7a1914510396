/** Starts the columns process, and starts it again if it ends. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { siblingModule } from '../../contract/sibling-module.ts'
import { nodeFlags } from '../node-flags.ts'
import type { ColumnsProcessOptions } from './process/columns-process-main.ts'

/** The pause before the process is started again; it doubles with each early end. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 60_000
/** A process that ran this long did not end because of how it started. */
const STABLE_MS = 60_000

const COMPILER_FLAGS = [
  // What the builder leaves behind is collected on its own thread, which has a low priority.
  '--single-threaded-gc',
  // Loops over rows that Maglev inlines are never compiled by Turbofan, and take twice as long.
  '--no-maglev-inlining',
]

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
      execArgv: nodeFlags(COMPILER_FLAGS),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    // Not as an argument, which other users of the machine could read: it may contain a password.
    child.send(this.#options, () => {})
    this.#child = child
    child.on('error', ({ message }) => this.#onFailure(message))
    child.on('message', (message) => this.#onFailure((message as { failed: string }).failed))
    child.on('exit', (status, signal) => {
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
}
