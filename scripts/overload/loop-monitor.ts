/** Runs inside the service: reports the longest time that its event loop was blocked. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoopReport {
  readonly longestMs: number
}

const RESOLUTION_MS = 1
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
histogram.enable()

process.on('message', (message) => {
  if (message !== 'report') return
  const report: LoopReport = { longestMs: histogram.max / 1e6 - RESOLUTION_MS }
  histogram.reset()
  process.send?.(report)
})
process.channel?.unref()
