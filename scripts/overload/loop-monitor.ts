/** Loaded into the service before anything else: tells how long its main thread was ever busy. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoopReport {
  readonly longestMs: number
}

const RESOLUTION_MS = 1
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
histogram.enable()

process.on('message', (message) => {
  if (message !== 'loop') return
  const report: LoopReport = { longestMs: histogram.max / 1e6 - RESOLUTION_MS }
  histogram.reset()
  process.send?.(report)
})
process.channel?.unref()
