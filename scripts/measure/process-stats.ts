/** CPU time and memory of other processes, read from /proc. Undefined on systems without it. */
import { readdirSync, readFileSync } from 'node:fs'

const SAMPLE_MS = 100

/** CPU microseconds by process. Kept apart, because the time of a process vanishes when it ends. */
export type CpuTimes = ReadonlyMap<number, number>

/** Returns the CPU time of a process and its descendants, including all threads. */
export function cpuTimes(root: number): CpuTimes {
  return new Map(processTree(root).map((pid) => [pid, cpuMicros(pid)]))
}

/** Returns the CPU microseconds used between two readings. */
export function cpuBetween(before: CpuTimes, after: CpuTimes): number | undefined {
  if (before.size === 0 || after.size === 0) return undefined
  let micros = 0
  for (const [pid, time] of after) micros += Math.max(0, time - (before.get(pid) ?? 0))
  return micros
}

/** The scheduler counts nanoseconds per thread; `stat` has only ticks of 10 ms. */
function cpuMicros(pid: number): number {
  let nanos = 0
  for (const thread of threadsOf(pid)) {
    nanos += Number(readProc(`${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0)
  }
  return nanos / 1000
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
export function ownMegabytes(pid: number): number | undefined {
  return statusMegabytes(pid, 'RssAnon')
}

/** Returns the private memory of a process and its descendants in MB. */
export function treeMegabytes(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + (ownMegabytes(pid) ?? 0), 0)
}

/** Returns the number of open descriptors of a process and its descendants. */
export function countDescriptors(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + listProc(`${pid}/fd`).length, 0)
}

/** Returns the largest resident set of a process so far in MB, mapped files included. */
export function peakMegabytes(pid: number): number | undefined {
  return statusMegabytes(pid, 'VmHWM')
}

export interface MemoryWatch extends Disposable {
  /** Stops sampling and returns the largest value in MB. */
  end(): number
}

/** Samples the private memory of a process until `end` is called. */
export function watchMemory(
  pid: number,
  read = (id: number) => ownMegabytes(id) ?? 0,
): MemoryWatch {
  let most = 0
  const sample = () => {
    most = Math.max(most, read(pid))
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

/** Samples the CPU time of a process, which can no longer be read when it has ended. */
export function watchCpu(pid: number): Disposable & { end(): number | undefined } {
  let last = cpuMicros(pid)
  const timer = setInterval(() => {
    last = Math.max(last, cpuMicros(pid))
  }, SAMPLE_MS)
  return {
    end() {
      clearInterval(timer)
      return last === 0 ? undefined : last
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

function statusMegabytes(pid: number, field: 'RssAnon' | 'VmHWM'): number | undefined {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readProc(`${pid}/status`) ?? '')
  return kilobytes === null ? undefined : Math.round(Number(kilobytes[1]) / 1024)
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

/** Returns the parent of a process, if the process runs here and has the given name. */
export function parentPid(pid: number, name: string): number | undefined {
  const parent = /^PPid:\s+(\d+)/m.exec(readProc(`${pid}/status`) ?? '')?.[1]
  const isNamed = readProc(`${pid}/comm`)?.startsWith(name)
  return isNamed && parent !== undefined ? Number(parent) : undefined
}
