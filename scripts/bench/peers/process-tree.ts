import { readdirSync, readFileSync } from 'node:fs'
import { cpuMicros } from '../cpu-time.ts'

/** Processor time of a process and all that it has started. */

/** What each process has used so far, in microseconds; undefined where the system does not tell. */
export type TreeTimes = ReadonlyMap<number, number> | undefined

export function treeTimes(root: number): TreeTimes {
  const times = new Map<number, number>()
  for (const pid of treeOf(root)) {
    const micros = cpuMicros(pid)
    if (micros !== undefined) times.set(pid, micros)
  }
  return times.has(root) ? times : undefined
}

/** By process, because what a process has used is gone with it. */
export function microsBetween(before: TreeTimes, after: TreeTimes): number | undefined {
  if (before === undefined || after === undefined) return undefined
  let micros = 0
  for (const [pid, time] of after) micros += time - (before.get(pid) ?? 0)
  return micros
}

export function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the process stands in brackets and may hold anything, spaces included.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

function treeOf(root: number): readonly number[] {
  const children = Map.groupBy(allProcesses(), (pid) => parentOf(pid) ?? 0)
  const tree = [root]
  // The list grows while it is gone through: children of children are found too.
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

function allProcesses(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}
