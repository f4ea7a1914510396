/**
 * Runs inside a service, and answers questions about it. It leaves other threads alone, and measures
 * the event loop only once it is asked: its timer wakes a thread every millisecond.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const RESOLUTION_MS = 1

const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

const ANSWERS = {
  /** The longest time that the event loop was blocked since the last question. */
  longestBlockMs(): number {
    const ms = histogram.max / 1e6 - RESOLUTION_MS
    histogram.enable()
    histogram.reset()
    return ms
  },

  /** Collects all garbage, so that the memory can be compared. */
  collect(): number {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as (options: object) => void
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    return 0
  },
}

export type Question = keyof typeof ANSWERS

if (isMainThread) {
  process.on('message', (question: Question) => {
    if (question in ANSWERS) process.send?.(ANSWERS[question]())
  })
  process.channel?.unref()
}
