/** The memory of the service while many readers walk at once. */
import { peakMegabytes, watchMemory } from './process-stats.ts'
import { showProgress } from './progress.ts'
import type { MeasuredServer } from './server.ts'
import { count, type Table } from './table.ts'
import { listPages, walkPages } from './walk.ts'

const READERS = 32

export interface ReadersReport {
  readonly table: Table
  readonly ownMegabytes: number
}

/** Each reader walks to the end, or through the given number of pages of 1,000. */
export async function measureReaders(
  service: MeasuredServer,
  pagesPerReader?: number,
): Promise<ReadersReport> {
  showProgress(`${READERS} readers walk`)
  using watch = watchMemory(service.pid)
  const started = performance.now()
  const read = () => walkPages(service, listPages(), pagesPerReader)
  const pages = await Promise.all(Array.from({ length: READERS }, read))
  const seconds = (performance.now() - started) / 1000
  const ownMegabytes = watch.end()
  const rate = pages.reduce((sum, each) => sum + each, 0) / seconds
  const memory = [String(ownMegabytes), String(peakMegabytes(service.pid) ?? '-')]
  return {
    table: [
      ['Memory of the service', 'seconds', 'pages/s', 'private MB', 'peak RSS MB'],
      [`${READERS} readers walk through all objects`, seconds.toFixed(1), count(rate), ...memory],
    ],
    ownMegabytes,
  }
}
