import { readFileSync } from 'node:fs'

/** Memory that is a process's own, in MB: pages of files that it maps are not counted. */
export function ownMegabytes(pid: number | 'self'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]) / 1000
  } catch {
    return Number.NaN
  }
}
