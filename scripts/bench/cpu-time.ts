import { readdirSync, readFileSync } from 'node:fs'

/** Processor time of another process, all its threads together, in microseconds. */

/** Linux counts in hundredths of a second wherever Node runs. */
const TICK_MICROS = 10_000

/** Undefined where the system does not tell. */
export function cpuMicros(pid: number): number | undefined {
  return fineCpuMicros(pid) ?? coarseCpuMicros(pid)
}

/** With all processes that it started. */
export function treeCpuMicros(pid: number): number | undefined {
  const own = cpuMicros(pid)
  if (own === undefined) return undefined
  return childrenOf(pid).reduce((sum, child) => sum + (treeCpuMicros(child) ?? 0), own)
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number)
  } catch {
    return []
  }
}

/** In nanoseconds by thread; a hundredth of a second would be a large part of a short round. */
function fineCpuMicros(pid: number): number | undefined {
  try {
    let nanos = 0
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    }
    return nanos / 1000
  } catch {
    return undefined
  }
}

function coarseCpuMicros(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the process stands in brackets and may hold anything, spaces included.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system] = fields.slice(11, 13).map(Number)
    return ((user ?? 0) + (system ?? 0)) * TICK_MICROS
  } catch {
    return undefined
  }
}
