/**
 * Runs inside the service: reports the longest time that its event loop was blocked. It starts with
 * the first report and leaves other threads alone, because its timer wakes a thread every
 * millisecond, which would slow down the other parts of the run.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

export interface LoopReport {
  /** Since the last report. */
  readonly longestMs: number
}

const RESOLUTION_MS = 1

if (isMainThread) answerReports()

function answerReports(): void {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  process.on('message', (message) => {
    if (message !== 'report') return
    const report: LoopReport = { longestMs: histogram.max / 1e6 - RESOLUTION_MS }
    histogram.enable()
    histogram.reset()
    process.send?.(report)
  })
  process.channel?.unref()
}
