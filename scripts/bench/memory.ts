import { readFileSync } from 'node:fs'

/** Memory of another process: what is its own, or with the pages of files that it maps. */

const SAMPLE_MS = 200

export interface MemoryWatch {
  /** The most that was seen, in MB; undefined where the system does not tell. */
  end(): number | undefined
}

export function watchMemory(pid: number): MemoryWatch {
  let most: number | undefined
  const look = () => {
    const megabytes = ownMegabytes(pid)
    if (megabytes !== undefined) most = Math.max(most ?? 0, megabytes)
  }
  const timer = setInterval(look, SAMPLE_MS)
  look()
  return {
    end() {
      look()
      clearInterval(timer)
      return most
    },
  }
}

/** Without the pages of files, which the system takes back when it needs them. */
export function ownMegabytes(pid: number): number | undefined {
  return readMegabytes(pid, 'RssAnon')
}

/** The most that the process ever had, mapped files included. */
export function peakMegabytes(pid: number): number | undefined {
  return readMegabytes(pid, 'VmHWM')
}

function readMegabytes(pid: number, field: 'RssAnon' | 'VmHWM'): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024)
  } catch {
    return undefined
  }
}
