import { type Logger, pino } from 'pino'
import type { HttpEvent } from '../http/events.ts'
import { LogSink } from './log-sink.ts'
import type { LogLevel } from './settings.ts'

/** What happened → what is shown: JSON lines on standard error. */

export type ServerEvent =
  | HttpEvent
  | { readonly event: 'started'; readonly url: string; readonly version: string }
  | { readonly event: 'stopping'; readonly signal: string | undefined }
  | { readonly event: 'stopped' }
  | { readonly event: 'crashed'; readonly error: unknown }
  | {
      /** One of several processes that serve; another one takes its place after a pause. */
      readonly event: 'workerEnded'
      readonly workerPid: number | undefined
      readonly status: number | undefined
      readonly signal: string | undefined
      readonly reason: string | undefined
      readonly restartInMs: number
    }
  | { readonly event: 'reclaimed'; readonly rows: number; readonly durationMs: number }
  | { readonly event: 'reclaimFailed'; readonly error: unknown }

const LEVEL_OF: Readonly<Record<ServerEvent['event'], Exclude<LogLevel, 'silent'>>> = {
  requestFinished: 'info',
  requestFailed: 'error',
  pageTokenRefused: 'info',
  started: 'info',
  stopping: 'info',
  stopped: 'info',
  crashed: 'fatal',
  workerEnded: 'error',
  reclaimed: 'info',
  reclaimFailed: 'error',
}

export type Log = (event: ServerEvent) => void

/** Logging never fails and never waits, see `LogSink`. */
export function openLog(level: LogLevel): Log {
  const sink = new LogSink(2)
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    sink,
  )
  return (event) => {
    try {
      writeEvent(logger, event)
      // The last words, before the process ends.
      if (event.event === 'stopped' || event.event === 'crashed') sink.flush()
    } catch {
      // There is nowhere left to say it.
    }
  }
}

function writeEvent(logger: Logger, happened: ServerEvent): void {
  const level = LEVEL_OF[happened.event]
  if (!logger.isLevelEnabled(level)) return
  const { event, ...details } = happened
  logger[level](
    'error' in details ? { ...details, error: describe(details.error) } : details,
    event,
  )
}

/** Messages of our own and of the database name tables and files, never values. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describe(cause) }) }
}
