import { type Logger, pino } from 'pino'
import type { HttpEvent } from '../http/events.ts'
import type { LogLevel } from './settings.ts'

/** What happened → what is shown: JSON lines on standard error. */

export type ServerEvent =
  | HttpEvent
  | { readonly event: 'started'; readonly url: string; readonly version: string }
  | { readonly event: 'stopping'; readonly signal: string | undefined }
  | { readonly event: 'stopped' }
  | { readonly event: 'crashed'; readonly error: unknown }
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
  reclaimed: 'info',
  reclaimFailed: 'error',
}

export type Log = (event: ServerEvent) => void

export function openLog(level: LogLevel): Log {
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ fd: 2, sync: true }),
  )
  return (event) => writeEvent(logger, event)
}

function writeEvent(logger: Logger, { event, ...details }: ServerEvent): void {
  const level = LEVEL_OF[event]
  if (!logger.isLevelEnabled(level)) return
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
