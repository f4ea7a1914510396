import { readFileSync } from 'node:fs'

/** Memory of another process that is its own: pages of files that it maps are not counted. */

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

export function ownMegabytes(pid: number): number | undefined {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024)
  } catch {
    return undefined
  }
}
