import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder and the processes that use it; none of them outlives the run. */
export interface Workspace extends Disposable {
  readonly folder: string
  /** The SQLite store of the run, as `OQS_STORE` names it. */
  readonly sqlite: string
  /** Ends this process too when the run is broken off. */
  adopt(child: ChildProcess): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function openWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'oqs-bench-'))
  const children = new Set<ChildProcess>()

  const clear = () => {
    for (const child of children) child.kill('SIGKILL')
    // A process that is just ending may still add a file: then the folder is emptied again.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  const breakOff = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])
  for (const signal of SIGNALS) process.on(signal, breakOff)
  // However the run ends, also by an error that nobody handles.
  process.on('exit', clear)

  return {
    folder,
    sqlite: `sqlite:${join(folder, 'bench.db')}`,
    adopt(child) {
      children.add(child)
      child.once('exit', () => children.delete(child))
    },
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, breakOff)
      process.off('exit', clear)
      clear()
    },
  }
}
