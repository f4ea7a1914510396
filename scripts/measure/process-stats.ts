/** CPU time and memory of other processes, read from /proc. NaN on systems without it. */
import { readdirSync, readFileSync } from 'node:fs'

const SAMPLE_MS = 100
const MICROS_PER_TICK = 10_000

/** CPU microseconds by process. Kept apart, because the time of a process vanishes when it ends. */
export type CpuTimes = ReadonlyMap<number, number>

/** Returns the CPU time of a process and its descendants, including all threads. */
export function cpuTimes(root: number): CpuTimes {
  return new Map(processTree(root).map((pid) => [pid, cpuMicros(pid)]))
}

/** Returns the CPU microseconds used between two readings. */
export function cpuBetween(before: CpuTimes, after: CpuTimes): number {
  if (before.size === 0 || after.size === 0) return Number.NaN
  let micros = 0
  for (const [pid, time] of after) micros += Math.max(0, time - (before.get(pid) ?? 0))
  return micros
}

/** Returns the CPU microseconds of all children of this process that have ended. */
export function endedChildrenMicros(): number {
  // The name of the process may contain spaces and ends with a parenthesis.
  const fields = readProc('self/stat')?.split(') ').at(-1)?.split(' ')
  return MICROS_PER_TICK * (Number(fields?.[13]) + Number(fields?.[14]))
}

/** Returns the CPU microseconds that the busiest thread of a process needs for some work. */
export async function busiestThreadMicros(pid: number, work: () => Promise<void>): Promise<number> {
  const read = () => new Map(threadsOf(pid).map((thread) => [thread, threadMicros(pid, thread)]))
  const before = read()
  await work()
  return Math.max(...[...read()].map(([thread, micros]) => micros - (before.get(thread) ?? 0)))
}

function cpuMicros(pid: number): number {
  return threadsOf(pid).reduce((sum, thread) => sum + threadMicros(pid, thread), 0)
}

/** The scheduler counts nanoseconds per thread; `stat` has only ticks of 10 ms. */
function threadMicros(pid: number, thread: string): number {
  return Number(readProc(`${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0) / 1000
}

/** Returns a process and its descendants; empty when the process does not exist. */
function processTree(root: number): number[] {
  const threads = threadsOf(root)
  if (threads.length === 0) return []
  const children = threads.flatMap((thread) =>
    (readProc(`${root}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
  return [root, ...children.flatMap(processTree)]
}

/** Returns the private memory of a process in MB, without the files that it maps. */
export function ownMegabytes(pid: number): number {
  return statusMegabytes(pid, 'RssAnon')
}

/** Returns the private memory of a process and its descendants in MB. */
export function treeMegabytes(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + (ownMegabytes(pid) || 0), 0)
}

/** Returns the number of open descriptors of a process and its descendants. */
export function countDescriptors(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + listProc(`${pid}/fd`).length, 0)
}

/** Returns the largest resident set of a process so far in MB, mapped files included. */
export function peakMegabytes(pid: number): number {
  return statusMegabytes(pid, 'VmHWM')
}

function statusMegabytes(pid: number, field: 'RssAnon' | 'VmHWM'): number {
  const status = readProc(`${pid}/status`) ?? ''
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

export interface MemoryWatch extends Disposable {
  /** Stops sampling and returns the largest value in MB. */
  end(): number
}

/** Samples the private memory of a process until `end` is called. */
export function watchMemory(pid: number, read = ownMegabytes): MemoryWatch {
  let most = 0
  const sample = () => {
    most = Math.max(most, read(pid) || 0)
  }
  const timer = setInterval(sample, SAMPLE_MS)
  sample()
  return {
    end() {
      sample()
      clearInterval(timer)
      return most
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** What a process and its descendants used for some work. */
export interface Cost {
  readonly seconds: number
  readonly cpuMicros: number
  /** The peak of the private memory. */
  readonly megabytes: number
}

/** Measures what a running process uses until some work is done. */
export async function measureCost<T>(
  pid: number,
  work: () => Promise<T>,
  readMemory = treeMegabytes,
): Promise<Cost & { readonly result: T }> {
  using memory = watchMemory(pid, readMemory)
  const before = cpuTimes(pid)
  const started = performance.now()
  const result = await work()
  const seconds = (performance.now() - started) / 1000
  return { seconds, cpuMicros: cpuBetween(before, cpuTimes(pid)), megabytes: memory.end(), result }
}

function threadsOf(pid: number): string[] {
  return listProc(`${pid}/task`)
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
