/**
 * Tells how far a long command is: a bar that is drawn over again on a terminal, a plain line every
 * few seconds otherwise. The command itself says what came of it; `end` leaves nothing behind.
 */

export interface ProgressOptions {
  /** What is being done: `importing airports.csv`. */
  readonly label: string
  /** Bytes there are to read, where that is known; or objects to write. */
  readonly totalBytes?: number | undefined
  readonly totalObjects?: number | undefined
  readonly isTerminal: boolean
  /** Columns of the terminal. */
  readonly width?: number | undefined
  readonly write: (text: string) => void
  /** Milliseconds. */
  readonly now: () => number
}

export interface ProgressState {
  /** Undefined where bytes are all that is counted. */
  readonly objects?: number | undefined
  /** Bytes read or written so far. */
  readonly bytes: number
}

export interface Progress {
  update(state: ProgressState): void
  end(): void
}

const REDRAW_MS = 100
const LINE_MS = 5000
const BAR_CELLS = 12
const DEFAULT_WIDTH = 80

const CLEAR_LINE = '\r\u001b[K'

export function startProgress(options: ProgressOptions): Progress {
  const { isTerminal, write, now } = options
  // A terminal that does not know its width says 0.
  const width = options.width || DEFAULT_WIDTH
  const startedAt = now()
  const interval = isTerminal ? REDRAW_MS : LINE_MS
  let shownAt = startedAt
  let isShown = false
  return {
    update(state) {
      const time = now()
      if (time - shownAt < interval) return
      shownAt = time
      isShown = true
      const text = describeProgress(options, state, time - startedAt)
      // A line that wraps could not be drawn over.
      write(isTerminal ? CLEAR_LINE + text.slice(0, width - 1) : `${text}\n`)
    },
    end() {
      if (isShown && isTerminal) write(CLEAR_LINE)
      isShown = false
    },
  }
}

function describeProgress(
  { label, totalBytes, totalObjects, isTerminal }: ProgressOptions,
  { objects, bytes }: ProgressState,
  elapsedMs: number,
): string {
  const perSecond = (done: number) => (elapsedMs > 0 ? Math.round((done * 1000) / elapsedMs) : 0)
  const parts =
    objects === undefined
      ? [outOf(formatBytes, bytes, totalBytes), `${formatBytes(perSecond(bytes))}/s`]
      : [
          `${outOf(formatCount, objects, totalObjects)} objects`,
          `${formatCount(perSecond(objects))}/s`,
          ...(totalObjects === undefined ? [outOf(formatBytes, bytes, totalBytes)] : []),
        ]
  const share = shareOf(objects ?? 0, totalObjects) ?? shareOf(bytes, totalBytes)
  if (share === undefined) return `${label}: ${parts.join(', ')}`
  // First what people look for: a narrow terminal cuts the rest off.
  if (share > 0) parts.unshift(`${formatDuration((elapsedMs * (1 - share)) / share)} left`)
  const bar = isTerminal ? ` ${drawBar(share)}` : ''
  return `${label}:${bar} ${Math.floor(share * 100)} %, ${parts.join(', ')}`
}

function outOf(format: (number: number) => string, done: number, total: number | undefined) {
  return total === undefined ? format(done) : `${format(done)} of ${format(total)}`
}

function shareOf(done: number, total: number | undefined): number | undefined {
  return total === undefined || total === 0 ? undefined : Math.min(1, done / total)
}

function drawBar(share: number): string {
  const filled = Math.floor(share * BAR_CELLS)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CELLS - filled)}]`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 object`, `2 objects` */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)))
  const number = bytes / 1000 ** step
  return `${step === 0 ? number : number.toFixed(1)} ${units[step]}`
}

/** `1:02:03`, or `2:03` below an hour. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? part : String(part).padStart(2, '0'))).join(':')
}

/** Progress on standard error. */
export function startProcessProgress(
  label: string,
  total: Pick<ProgressOptions, 'totalBytes' | 'totalObjects'> = {},
): Progress {
  const { stderr } = process
  return startProgress({
    label,
    ...total,
    isTerminal: stderr.isTTY === true,
    width: stderr.columns,
    write: (text) => stderr.write(text),
    now: () => performance.now(),
  })
}
