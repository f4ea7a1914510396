import { type Logger, pino } from 'pino'
import type { HttpEvent } from '../http/events.ts'
import { HEALTH_ROUTES } from '../http/health.ts'
import { type LogSink, openLogSink } from './log-sink.ts'
import { LOG_LEVELS, type LogLevel } from './settings.ts'

/** What happened → what is shown: JSON lines on standard error. */

export type ServerEvent =
  | HttpEvent
  /** A variable that is no setting, but close to one. */
  | { readonly event: 'unknownSetting'; readonly name: string; readonly meant: string }
  /** What Node or a package would print. */
  | { readonly event: 'warned'; readonly warning: string }
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
  | { readonly event: 'storeDamaged'; readonly advice: string; readonly error: unknown }

type EventLevel = Exclude<LogLevel, 'silent'>

const LEVEL_OF: Readonly<Record<ServerEvent['event'], EventLevel>> = {
  requestFinished: 'info',
  requestFailed: 'error',
  notReady: 'warn',
  pageTokenRefused: 'info',
  unknownSetting: 'warn',
  warned: 'warn',
  started: 'info',
  stopping: 'info',
  stopped: 'info',
  crashed: 'fatal',
  workerEnded: 'error',
  reclaimed: 'info',
  reclaimFailed: 'error',
  storeDamaged: 'fatal',
}

export type Log = (event: ServerEvent) => void

/** Whether an event of this kind can be shown at a level; probes are shown later, see `levelOf`. */
export function isShown(event: ServerEvent['event'], level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(LEVEL_OF[event]) <= LOG_LEVELS.indexOf(level)
}

/** One for the whole process, so that lines stay in order. */
let standardError: LogSink | undefined

/** Logging never fails and never waits, see `LogSink`. */
export function openLog(level: LogLevel): Log {
  standardError ??= openLogSink()
  const sink = standardError
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
  const level = levelOf(happened)
  if (!logger.isLevelEnabled(level)) return
  const { event, ...details } = happened
  logger[level](
    'error' in details ? { ...details, error: describe(details.error) } : details,
    event,
  )
}

function levelOf(happened: ServerEvent): EventLevel {
  // Probes would drown what clients asked; one that failed has a line of its own.
  const isProbe = happened.event === 'requestFinished' && HEALTH_ROUTES.includes(happened.route)
  return isProbe ? 'debug' : LEVEL_OF[happened.event]
}

/** Messages of our own and of the database name tables and files, never values. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describe(cause) }) }
}
