import { readBody } from './http-client.ts'
import { peakMegabytes, watchMemory } from './memory.ts'
import type { MeasuredProcess } from './processes.ts'
import { showProgress } from './progress.ts'
import { listPages } from './requests.ts'
import { findToken } from './walk.ts'

/** The memory of a service while many readers walk through all of its objects at once. */
export interface ReadersReport {
  readonly readers: number
  readonly seconds: number
  readonly pagesPerSecond: number
  /** The most that was its own; undefined where the system does not tell. */
  readonly ownMegabytes: number | undefined
  /** The most that it had with the pages of the files that it maps. */
  readonly peakMegabytes: number | undefined
  readonly atMostMegabytes: number
  readonly met: boolean
}

const READERS = 32
const PAGE_SIZE = 1000
const AT_MOST_MEGABYTES = 250

export async function measureReaders(service: MeasuredProcess): Promise<ReadersReport> {
  showProgress(`${READERS} readers walk`)
  const watch = watchMemory(service.pid)
  const started = performance.now()
  const pages = await Promise.all(Array.from({ length: READERS }, () => walkToEnd(service)))
  const seconds = (performance.now() - started) / 1000
  const ownMegabytes = watch.end()
  return {
    readers: READERS,
    seconds,
    pagesPerSecond: pages.reduce((sum, count) => sum + count, 0) / seconds,
    ownMegabytes,
    peakMegabytes: peakMegabytes(service.pid),
    atMostMegabytes: AT_MOST_MEGABYTES,
    met: ownMegabytes === undefined || ownMegabytes <= AT_MOST_MEGABYTES,
  }
}

/** Gives the number of pages. */
async function walkToEnd(service: MeasuredProcess): Promise<number> {
  const pages = listPages()
  let count = 0
  let token: string | undefined
  do {
    token = findToken(await readBody(service, pages(PAGE_SIZE, token)))
    count += 1
  } while (token !== undefined)
  return count
}
