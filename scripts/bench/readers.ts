/** The memory of the service while many readers walk through all objects at once. */
import { peakMegabytes, watchMemory } from '../measure/process-stats.ts'
import { showProgress } from '../measure/progress.ts'
import type { MeasuredServer } from '../measure/server.ts'
import { count, type Table } from '../measure/table.ts'
import { listPages, walkPages } from '../measure/walk.ts'

const READERS = 32

export interface ReadersReport {
  readonly table: Table
  readonly ownMegabytes: number
}

export async function measureReaders(service: MeasuredServer): Promise<ReadersReport> {
  showProgress(`${READERS} readers walk`)
  using watch = watchMemory(service.pid)
  const started = performance.now()
  const walks = Array.from({ length: READERS }, () => walkPages(service, listPages()))
  const pages = (await Promise.all(walks)).reduce((sum, each) => sum + each, 0)
  const seconds = (performance.now() - started) / 1000
  const ownMegabytes = watch.end()
  const peak = String(peakMegabytes(service.pid) ?? '-')
  const cells = [seconds.toFixed(1), count(pages / seconds), String(ownMegabytes), peak]
  return {
    table: [
      ['Memory of the service', 'seconds', 'pages/s', 'private MB', 'peak RSS MB'],
      [`${READERS} readers walk through all objects`, ...cells],
    ],
    ownMegabytes,
  }
}
