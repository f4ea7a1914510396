/**
 * Progress of a long command: a bar that is redrawn on a terminal, a plain line every few seconds
 * elsewhere. `end` removes the bar; the command prints the result itself.
 */
import { countOf, formatCount } from '../contract/count-of.ts'

export interface ProgressOptions {
  /** Such as `importing airports.csv`. */
  readonly label: string
  /** Total bytes to read or objects to write, if known. */
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
  /** Undefined if only bytes are counted. */
  readonly objects?: number | undefined
  /** The objects that are written, of those that were read. */
  readonly written?: number | undefined
  /** Whether work of unknown duration follows, so that the time left is a lower bound. */
  readonly isLowerBound?: boolean
  /** Replaces the label. */
  readonly label?: string
  /** Bytes read or written so far; undefined for a step of which only the duration is known. */
  readonly bytes?: number | undefined
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
  // A terminal of unknown width reports 0.
  const width = options.width || DEFAULT_WIDTH
  const startedAt = now()
  const interval = isTerminal ? REDRAW_MS : LINE_MS
  let drawnAt = startedAt
  let isDrawn = false
  return {
    update(state) {
      const time = now()
      // The last state completes what was shown before.
      const isLast =
        isDrawn && state.objects !== undefined && state.objects === options.totalObjects
      if (time - drawnAt < interval && !isLast) return
      drawnAt = time
      isDrawn = true
      const text = describeProgress(options, state, time - startedAt)
      // A wrapped line could not be redrawn.
      write(isTerminal ? CLEAR_LINE + text.slice(0, width - 1) : `${text}\n`)
    },
    end() {
      if (isDrawn && isTerminal) write(CLEAR_LINE)
      isDrawn = false
    },
  }
}

function describeProgress(
  { totalBytes, totalObjects, isTerminal, ...options }: ProgressOptions,
  { objects, bytes, written, isLowerBound = false, label = options.label }: ProgressState,
  elapsedMs: number,
): string {
  if (bytes === undefined) return `${label}, ${formatDuration(elapsedMs)} so far`
  const perSecond = (done: number) => (elapsedMs > 0 ? Math.round((done * 1000) / elapsedMs) : 0)
  const parts =
    objects === undefined
      ? [outOf(formatBytes, bytes, totalBytes), `${formatBytes(perSecond(bytes))}/s`]
      : [
          ...(written === undefined
            ? [outOfObjects(objects, totalObjects)]
            : [`${countOf(objects, 'object')} read`, `${formatCount(written)} written`]),
          `${formatCount(perSecond(objects))}/s`,
          ...(totalObjects === undefined ? [outOf(formatBytes, bytes, totalBytes)] : []),
        ]
  const share = shareOf(objects ?? 0, totalObjects) ?? shareOf(bytes, totalBytes)
  if (share === undefined) return `${label}: ${parts.join(', ')}`
  // The remaining time comes first, because a narrow terminal cuts off the end.
  if (share > 0) {
    const left = `${formatDuration((elapsedMs * (1 - share)) / share)} left`
    parts.unshift(isLowerBound ? `at least ${left}` : left)
  }
  const bar = isTerminal ? ` ${drawBar(share)}` : ''
  return `${label}:${bar} ${Math.floor(share * 100)} %, ${parts.join(', ')}`
}

function outOf(format: (number: number) => string, done: number, total: number | undefined) {
  return total === undefined ? format(done) : `${format(done)} of ${format(total)}`
}

function outOfObjects(done: number, total: number | undefined): string {
  const objects = countOf(total ?? done, 'object')
  return total === undefined ? objects : `${formatCount(done)} of ${objects}`
}

function shareOf(done: number, total: number | undefined): number | undefined {
  return total === undefined || total === 0 ? undefined : Math.min(1, done / total)
}

function drawBar(share: number): string {
  const filled = Math.floor(share * BAR_CELLS)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CELLS - filled)}]`
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
  const visible = parts[0] === 0 ? parts.slice(1) : parts
  return visible
    .map((part, index) => (index === 0 ? part : String(part).padStart(2, '0')))
    .join(':')
}

/** Shows on standard error how long a step takes, until `end` is called. */
export function startWaiting(label: () => string): Pick<Progress, 'end'> {
  const progress = startProcessProgress(label())
  const timer = setInterval(() => progress.update({ label: label() }), REDRAW_MS)
  return {
    end() {
      clearInterval(timer)
      progress.end()
    },
  }
}

/** Starts progress on standard error. */
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
