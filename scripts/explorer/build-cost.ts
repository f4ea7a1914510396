/** What it costs to build the explorer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cpuTimes, treeMegabytes, watchMemory } from '../measure/process-stats.ts'
import type { Workspace } from '../measure/workspace.ts'

const SCRIPT = fileURLToPath(new URL('../build-explorer.ts', import.meta.url))
/** Without it the script builds even if no source has changed. */
const STAMP = fileURLToPath(new URL('../../dist/explorer/stamp', import.meta.url))
const SAMPLE_MS = 50

export async function measureBuild(workspace: Workspace) {
  rmSync(STAMP, { force: true })
  const started = performance.now()
  const child = spawn(process.execPath, [SCRIPT], { stdio: ['ignore', 'ignore', 'inherit'] })
  workspace.adopt(child)
  const pid = child.pid ?? 0
  using memory = watchMemory(pid, treeMegabytes)
  let cpuMicros = 0
  // The time of a process can no longer be read when it has ended.
  const timer = setInterval(() => {
    cpuMicros = Math.max(cpuMicros, sum(cpuTimes(pid).values()))
  }, SAMPLE_MS)
  const [status] = await once(child, 'close')
  clearInterval(timer)
  if (status !== 0) throw new Error(`The build failed with ${status}.`)
  return {
    buildSeconds: (performance.now() - started) / 1000,
    buildCpuSeconds: cpuMicros / 1e6,
    buildMb: memory.end(),
  }
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
