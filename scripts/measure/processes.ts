/** The CPU time and memory of other processes, read from /proc; NaN on systems without it. */
import { readdirSync, readFileSync } from 'node:fs'

const SAMPLE_MS = 100
const MICROS_PER_TICK = 10_000

/** What a process and its descendants used for some work. */
export interface Cost {
  readonly seconds: number
  readonly cpuMicros: number
  /** The peak of the private memory, without the files that they map. */
  readonly megabytes: number
}

/** Measures what running processes use until some work is done: CPU time of all, memory of the first. */
export async function measureCost<T>(
  pids: readonly number[],
  work: () => Promise<T>,
): Promise<Cost & { readonly result: T }> {
  using memory = watchMemory(pids[0] ?? 0)
  const before = cpuTimes(...pids)
  const started = performance.now()
  const result = await work()
  const seconds = (performance.now() - started) / 1000
  return { seconds, cpuMicros: cpuSince(before, ...pids), megabytes: memory.most(), result }
}

/** CPU microseconds by thread. */
type CpuTimes = ReadonlyMap<string, number>

/** Returns the CPU time of processes and their descendants. */
export function cpuTimes(...roots: number[]): CpuTimes {
  // The scheduler counts nanoseconds per thread; `stat` has only ticks of 10 ms.
  const micros = (path: string) => Number(readProc(`${path}/schedstat`)?.split(' ')[0] ?? 0) / 1000
  const threads = roots.flatMap(processTree).flatMap((pid) => threadsOf(pid))
  return new Map(threads.map((path) => [path, micros(path)]))
}

/** Returns the CPU microseconds used since a reading. */
export function cpuSince(before: CpuTimes, ...roots: number[]): number {
  if (before.size === 0) return Number.NaN
  const used = [...cpuTimes(...roots)].map(([path, micros]) => micros - (before.get(path) ?? 0))
  return used.reduce((a, b) => a + b, 0)
}

/** Returns the CPU microseconds of all children of this process that have ended. */
export function endedChildrenMicros(): number {
  // The name of the process may contain spaces and ends with a parenthesis.
  const fields = readProc('self/stat')?.split(') ').at(-1)?.split(' ')
  return MICROS_PER_TICK * (Number(fields?.[13]) + Number(fields?.[14]))
}

/** Samples the private memory of a process and its descendants. */
export function watchMemory(pid: number): Disposable & { most(): number } {
  let most = 0
  const sample = () => {
    most = Math.max(most, privateMegabytes(pid))
    return most
  }
  const timer = setInterval(sample, SAMPLE_MS)
  sample()
  return { most: sample, [Symbol.dispose]: () => clearInterval(timer) }
}

/** Returns the private memory of a process and its descendants in MB. */
export function privateMegabytes(root: number): number {
  const kilobytes = processTree(root).map((pid) =>
    Number(/^RssAnon:\s+(\d+) kB/m.exec(readProc(`${pid}/status`) ?? '')?.[1] ?? 0),
  )
  return Math.round(kilobytes.reduce((a, b) => a + b, 0) / 1024)
}

/** Returns the number of open descriptors of a process and its descendants. */
export function countDescriptors(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + listProc(`${pid}/fd`).length, 0)
}

/** Returns the descendant of a process that runs a program; undefined if there is none. */
export function findProcess(root: number, program: string): number | undefined {
  return processTree(root).find((pid) => readProc(`${pid}/cmdline`)?.includes(program))
}

/** Returns a process and its descendants; empty when the process does not exist. */
function processTree(root: number): number[] {
  const threads = threadsOf(root)
  if (threads.length === 0) return []
  const children = threads.flatMap((path) =>
    (readProc(`${path}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
  return [root, ...children.flatMap(processTree)]
}

function threadsOf(pid: number): string[] {
  return listProc(`${pid}/task`).map((thread) => `${pid}/task/${thread}`)
}

function listProc(path: string): string[] {
  try {
    return readdirSync(`/proc/${path}`)
  } catch {
    return []
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return undefined
  }
}
