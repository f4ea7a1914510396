import { formatCount, formatDuration } from './progress.ts'

/** Tells how far a load of a known number of objects is, on standard error. */

const REDRAW_MS = 100
const LINE_MS = 5000
const BAR_CELLS = 20
const CLEAR_LINE = '\r\u001b[K'

export interface CountProgress extends Disposable {
  readonly add: (objects: number) => void
}

export function startCountProgress(label: string, total: number): CountProgress {
  const { stderr } = process
  const startedAt = performance.now()
  let shownAt = startedAt
  let done = 0
  return {
    add(objects) {
      done += objects
      const time = performance.now()
      if (time - shownAt < (stderr.isTTY ? REDRAW_MS : LINE_MS)) return
      shownAt = time
      const left = ((time - startedAt) * (total - done)) / done
      const text = `${formatCount(done)} of ${formatCount(total)} objects, ${formatDuration(left)} left`
      stderr.write(
        stderr.isTTY
          ? `${CLEAR_LINE}${label}: ${drawBar(done / total)} ${text}`
          : `${label}: ${text}\n`,
      )
    },
    [Symbol.dispose]() {
      if (stderr.isTTY && shownAt > startedAt) stderr.write(CLEAR_LINE)
    },
  }
}

function drawBar(share: number): string {
  const filled = Math.floor(share * BAR_CELLS)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CELLS - filled)}]`
}
