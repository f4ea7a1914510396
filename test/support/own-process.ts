import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROCESSES, runFolder } from './run-folder.ts'

/**
 * Starts a process that does not outlive the test run. It leads its own process group, so that it
 * can be killed together with all its children, even stopped ones.
 */
export function startProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const folder = runFolder()
  // Outside a run it stays in the group of the terminal, so that Ctrl-C ends it.
  const child = spawn(command, args, { ...options, detached: folder !== undefined })
  if (folder !== undefined && child.pid !== undefined) {
    const file = join(folder, PROCESSES, String(child.pid))
    try {
      writeFileSync(file, '')
    } catch (error) {
      // The run was interrupted, and nobody ends what starts after its keeper.
      killProcess(child)
      throw error
    }
    child.once('close', () => rmSync(file, { force: true }))
  }
  return child
}

/** Kills a process and all its children. */
export function killProcess(child: ChildProcess): void {
  if (runFolder() === undefined || child.pid === undefined) {
    child.kill('SIGKILL')
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // All of them have already ended.
  }
}
