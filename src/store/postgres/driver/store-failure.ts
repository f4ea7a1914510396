/** Translates failures of PostgreSQL, of the driver and of the network into errors for clients. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { NotWritable } from '../../not-writable.ts'

const UNREACHABLE = 'the database cannot be reached'

/** SQLSTATE codes, or prefixes of them, after which the same request can succeed later. */
const TRANSIENT: Readonly<Record<string, string>> = {
  '08': UNREACHABLE,
  '25006': 'the database cannot be written to',
  '25P03': 'a transaction was idle for too long',
  '28': 'the database refuses the connection',
  '3D000': 'there is no such database',
  '3F000': 'the database has no schema for the service',
  '40001': 'the database is busy',
  '40P01': 'the database is busy',
  '42501':
    'the role of the service lacks privileges: it must own the database, or have CREATE on its schema',
  '42P01': 'a table of the database is missing',
  '53100': 'the disk of the database is full; free some space there, then send the request again',
  '53300': 'the database has no connection left',
  '53': 'the database lacks resources',
  '55P03': 'something else holds a lock in the database for too long',
  '57014': 'the database took too long',
  '57P': 'the database is shutting down or starting up',
  '58030': 'the disk of the database reported an I/O error',
}

/** A standby, a full disk, and a failing one. */
const NOT_WRITABLE: readonly string[] = ['25006', '53100', '58030']

/** A hard limit of PostgreSQL was exceeded. */
const TOO_LARGE = '54000'
/** A row has 8 kB, apart from long texts, and each property with a value takes some of it. */
const ROW_TOO_LARGE = /^row is too big/

/**
 * Errors of Citus workers during a COPY arrive without their SQLSTATE code, so they are recognised
 * by their message.
 */
const UNSPECIFIED = 'XX000'
/** Said by a session of a coordinator that has died while it waited for a worker; then it ends. */
const COORDINATOR_DIED = /^postmaster was shut down/
const CODES_BY_MESSAGE: readonly (readonly [message: RegExp, code: string])[] = [
  [ROW_TOO_LARGE, TOO_LARGE],
  [/^deadlock detected/, '40P01'],
  [/^could not (?:extend|write)/, '53100'],
  [/^canceling statement due to lock timeout/, '55P03'],
  [/^canceling statement/, '57014'],
  [/^terminating connection/, '57P01'],
  [COORDINATOR_DIED, '57P02'],
]

/** Codes after which a connection is closed, or was never opened. */
const LOST_CODES = /^(?:08|25P03|28|3D000|57P|53300)/

/** Messages of the driver, without a code, about a connection that is closed. */
const LOST_MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout exceeded when trying to connect)/

/** The message of the driver if no reply arrived in time. */
const READ_TIMEOUT = /^Query read timeout/

const SYSTEM_ERRORS =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOENT)$/

/**
 * A protocol violation. With severity ERROR it is a bug of ours, and the connection stays usable.
 * Poolers use it with FATAL, when they close a connection because there is no server.
 */
const PROTOCOL_VIOLATION = '08P01'

/** Messages of driver and server if a password is required and none was given. */
const NO_PASSWORD = /client password must be a|^empty password returned by client/

interface DriverError {
  readonly code?: unknown
  readonly severity?: unknown
  readonly message?: unknown
  readonly errors?: readonly unknown[]
}

/**
 * Turns a transient failure into 503, and a request that the database can never accept into 413, each
 * with its cause for the log. Returns any other error unchanged.
 */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof ObjectQueryError) return error
  if (codeOf(error) === TOO_LARGE) {
    const reason = ROW_TOO_LARGE.test(messageOf(error))
      ? 'an object has more properties with values than a row of the database can hold'
      : 'the request exceeds a limit of the database'
    return new ObjectQueryError('Default:RequestEntityTooLarge', { reason }, { cause: error })
  }
  if (NO_PASSWORD.test(messageOf(error))) {
    const reason = 'the database requires a password, and the URL has none'
    // Without a cause, because the message of the driver explains nothing.
    return new ObjectQueryError('ServiceUnavailable', { reason })
  }
  const reason = transientReason(error)
  if (reason === undefined) return error
  if (NOT_WRITABLE.includes(codeOf(error))) return new NotWritable(reason, error)
  return new ObjectQueryError('ServiceUnavailable', { reason }, { cause: error })
}

function transientReason(error: unknown): string | undefined {
  const code = codeOf(error)
  if (code === PROTOCOL_VIOLATION && !isLostConnection(error)) return undefined
  const known = TRANSIENT[code] ?? TRANSIENT[code.slice(0, 3)] ?? TRANSIENT[code.slice(0, 2)]
  return known ?? (isLostConnection(error) ? UNREACHABLE : undefined)
}

/** True if the connection was lost. */
export function isLostConnection(error: unknown): boolean {
  const { code, message, severity, errors } = (error ?? {}) as DriverError
  if (code === PROTOCOL_VIOLATION) return severity === 'FATAL'
  if (code === UNSPECIFIED) return COORDINATOR_DIED.test(String(message))
  if (typeof code === 'string') return LOST_CODES.test(code) || SYSTEM_ERRORS.test(code)
  // An AggregateError: several addresses were tried and all of them failed.
  if (Array.isArray(errors)) return errors.some(isLostConnection)
  return typeof message === 'string' && LOST_MESSAGES.test(message)
}

/**
 * True if the connection was closed, so that the same work may succeed on another one. False if it
 * was closed after a timeout: a database that does not reply is not waited for twice.
 */
export function isClosedConnection(error: unknown): boolean {
  const { code, message } = (error ?? {}) as DriverError
  const isTimeout = code === 'ETIMEDOUT' || READ_TIMEOUT.test(String(message))
  return isLostConnection(error) && !isTimeout
}

/** True for serialization failures and deadlocks: the transaction can be retried. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/** True if another transaction has written a row with the same key. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505'
}

/** True if a statement was cancelled, by its timeout or by a request. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** True if a statement was cancelled by a request; false if the server language is not English. */
export function isCancelled(error: unknown): boolean {
  return isStatementTimeout(error) && /user request/.test(messageOf(error))
}

const LOCK_TIMEOUT = '55P03'

/** True for a lock timeout, and for the client error that was made of one. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error instanceof ObjectQueryError ? error.cause : error) === LOCK_TIMEOUT
}

const MISSING_TABLE = '42P01'

/** The error for a table that is in the catalogue but not created yet. */
export class MissingTable extends Error {
  readonly code = MISSING_TABLE

  constructor(table: number) {
    super(`table ${table} is not created yet`)
    this.name = 'MissingTable'
  }
}

/**
 * True if a table is not created yet, or was dropped after it was looked up; also for the client
 * error that was made of it.
 */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error instanceof ObjectQueryError ? error.cause : error) === MISSING_TABLE
}

/** The connection was lost before the reply to COMMIT arrived. */
export class UnknownOutcome extends ObjectQueryError {
  constructor(cause: unknown) {
    const reason =
      'the connection was lost during the commit; whether this was written is not known'
    super('ServiceUnavailable', { reason }, { cause })
  }
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as DriverError
  if (typeof code !== 'string') return ''
  if (code !== UNSPECIFIED) return code
  return CODES_BY_MESSAGE.find(([message]) => message.test(messageOf(error)))?.[1] ?? code
}

function messageOf(error: unknown): string {
  return String(((error ?? {}) as DriverError).message)
}
