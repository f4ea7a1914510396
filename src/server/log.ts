/** The log of the service: events as JSON lines on standard error. */

import { fstatSync, writeSync } from 'node:fs'
import { type Logger, pino } from 'pino'
import type { HttpEvent } from '../http/events.ts'
import { HEALTH_ROUTES } from '../http/health.ts'
import type { ReaderExit, RewriteProgress } from '../store/object-store.ts'
import { LOG_LEVELS, type LogLevel } from './settings.ts'

export type ServerEvent =
  | HttpEvent
  /** An environment variable that is probably a misspelt setting. */
  | { readonly event: 'unknownSetting'; readonly name: string; readonly meant: string }
  /** Fewer connections than the settings allow: the process may not open more descriptors. */
  | {
      readonly event: 'connectionsReduced'
      readonly connections: number
      readonly descriptors: number
    }
  /** A warning of Node.js or of a package. */
  | { readonly event: 'warned'; readonly warning: string }
  | { readonly event: 'started'; readonly url: string; readonly version: string }
  | { readonly event: 'stopping'; readonly signal: string | undefined }
  | { readonly event: 'stopped' }
  | { readonly event: 'certificateReloaded' }
  /** The service keeps the certificate that it has. */
  | { readonly event: 'certificateReloadFailed'; readonly reason: string }
  /** In a checkout only: the page at `/` says that there is no explorer. */
  | { readonly event: 'explorerNotBuilt'; readonly reason: string }
  | { readonly event: 'signalIgnored'; readonly signal: string }
  | { readonly event: 'crashed'; readonly error: unknown }
  | {
      /** A worker process ended; it is replaced after a pause. */
      readonly event: 'workerEnded'
      readonly workerPid: number | undefined
      readonly status: number | undefined
      readonly signal: string | undefined
      readonly reason: string | undefined
      readonly restartInMs: number
    }
  /** A process that runs slow queries ended by itself or by a signal; another one replaces it. */
  | ({ readonly event: 'readerEnded' } & ReaderExit)
  /** Columns could not be built, or their process ended; the database answers meanwhile. */
  | { readonly event: 'columnsFailed'; readonly reason: string }
  | { readonly event: 'reclaimed'; readonly rows: number; readonly durationMs: number }
  | { readonly event: 'reclaimFailed'; readonly error: unknown }
  /** All tables and indexes were checked. Damage is logged as `storeDamaged`. */
  | { readonly event: 'verified'; readonly durationMs: number }
  | { readonly event: 'verificationFailed'; readonly error: unknown }
  /** A type is being copied into a new table; logged at the start and at every tenth. */
  | ({ readonly event: 'rewriting' } & RewriteProgress)
  | {
      readonly event: 'rewritten'
      readonly typeRid: string
      /** Set if the definition of the ontology was changed. */
      readonly ontologyRid?: string
      readonly objects: number
      readonly durationMs: number
    }
  /** The type was replaced or redefined meanwhile. */
  | {
      readonly event: 'rewriteCancelled'
      readonly typeRid: string
      readonly ontologyRid?: string
      readonly objects: number
    }
  /** The type keeps its table until its definition changes, and the ontology its definition. */
  | {
      readonly event: 'rewriteFailed'
      readonly typeRid: string
      readonly ontologyRid?: string
      readonly objects: number
      readonly reason: string | undefined
    }
  /** A step failed, and is retried after a minute. */
  | { readonly event: 'rewriteStepFailed'; readonly error: unknown }
  /** Records of the audit log wait to be stored, or could not be written to its file. */
  | { readonly event: 'auditFailed'; readonly error: unknown }
  | { readonly event: 'storeDamaged'; readonly advice: string; readonly error: unknown }

type EventLevel = Exclude<LogLevel, 'silent'>

const LEVEL_OF: Readonly<Record<ServerEvent['event'], EventLevel>> = {
  requestFinished: 'info',
  requestAborted: 'info',
  pageRead: 'trace',
  requestFailed: 'error',
  notReady: 'warn',
  pageTokenRefused: 'info',
  replacementProgress: 'info',
  oauthReuseRefused: 'warn',
  unknownSetting: 'warn',
  connectionsReduced: 'warn',
  warned: 'warn',
  started: 'info',
  stopping: 'info',
  stopped: 'info',
  certificateReloaded: 'info',
  certificateReloadFailed: 'error',
  explorerNotBuilt: 'error',
  signalIgnored: 'info',
  crashed: 'fatal',
  workerEnded: 'error',
  readerEnded: 'warn',
  columnsFailed: 'warn',
  reclaimed: 'info',
  reclaimFailed: 'error',
  verified: 'info',
  verificationFailed: 'error',
  rewriting: 'info',
  rewritten: 'info',
  rewriteCancelled: 'info',
  rewriteFailed: 'error',
  rewriteStepFailed: 'error',
  auditFailed: 'error',
  storeDamaged: 'fatal',
}

export type Log = (event: ServerEvent) => void

/**
 * Returns whether events of this kind are logged at a level. Health probes are an exception, see
 * `levelOf`.
 */
export function isLogged(event: ServerEvent['event'], level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(LEVEL_OF[event]) <= LOG_LEVELS.indexOf(level)
}

/** Opens the log of the process: one per process, so that its lines stay in order. */
export function openLog(level: LogLevel): Log {
  const sink = openLogSink()
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
      // The process exits after these events.
      if (event.event === 'stopped' || event.event === 'crashed') sink.flush()
    } catch {
      // Nowhere to report a failure of the log itself.
    }
  }
}

function writeEvent(logger: Logger, serverEvent: ServerEvent): void {
  const level = levelOf(serverEvent)
  if (!logger.isLevelEnabled(level)) return
  const { event, ...details } = serverEvent
  logger[level](
    'error' in details ? { ...details, error: describe(details.error) } : details,
    event,
  )
}

function levelOf(event: ServerEvent): EventLevel {
  // Health probes would drown other requests; a failed probe logs `notReady` as well.
  const isRequest = event.event === 'requestFinished' || event.event === 'requestAborted'
  const isProbe = isRequest && HEALTH_ROUTES.includes(event.route)
  return isProbe ? 'debug' : LEVEL_OF[event.event]
}

/** Safe to log: messages of the service and of the database name tables and files, never values. */
function describe(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describe(cause) }) }
}

/**
 * Writes log lines to standard error without ever failing or blocking: a full disk or a stalled or
 * closed reader neither stops the service nor delays its exit. Compared with `pino.destination`, a
 * line takes 5 µs of CPU time instead of 7 to 9 µs, and a stalled reader cannot block the process.
 */
export interface LogSink {
  write(line: string): void
  /** Writes the buffered lines at once; needed before the process exits. */
  flush(): void
}

const STANDARD_ERROR = 2
/** Characters buffered for a slow reader; lines beyond that are dropped. */
const MAX_BUFFERED = 4 * 1024 * 1024

/** Opens a sink that writes all lines of one turn of the event loop together. */
export function openLogSink(writeText: (text: string) => void = standardError()): LogSink {
  let buffered = ''
  const flush = () => {
    const text = buffered
    buffered = ''
    if (text !== '') writeText(text)
  }
  return {
    write(line) {
      if (buffered === '') setImmediate(flush)
      buffered += line
    },
    flush,
  }
}

function standardError(): (text: string) => void {
  // Written without a stream: a stream never recovers from ENOSPC, a file does.
  if (isFile()) return writeToFile
  const { stderr } = process
  // After an error the stream is no longer writable, and the service runs without a log.
  stderr.on('error', () => {})
  return (text) => {
    if (stderr.writable && stderr.writableLength < MAX_BUFFERED) stderr.write(text)
  }
}

function isFile(): boolean {
  try {
    return fstatSync(STANDARD_ERROR).isFile()
  } catch {
    return false
  }
}

function writeToFile(text: string): void {
  try {
    let bytes = Buffer.from(text)
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(STANDARD_ERROR, bytes))
  } catch {
    // Nowhere to report a failure of the log itself.
  }
}
