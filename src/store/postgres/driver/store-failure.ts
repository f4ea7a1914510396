import { ObjectQueryError } from '../../../contract/errors.ts'

/** What a failure of PostgreSQL, or of the way to it, means to a client. */

const UNREACHABLE = 'the database cannot be reached'

/** SQLSTATE codes, or their classes, after which the same request can succeed later. */
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
    'the role of the service lacks rights: it must own the database, or have CREATE on its schema',
  '42P01': 'a table of the database is gone',
  '53100': 'the disk of the database is full',
  '53300': 'the database has no connection left',
  '53': 'the database lacks resources',
  '55P03': 'something else holds a lock in the database for too long',
  '57014': 'the database took too long',
  '57P': 'the database is shutting down or starting up',
  '58030': 'the disk of the database does not answer as it should',
}

/** Some bound of the database that no setting moves. */
const TOO_LARGE = '54000'
/** A row has 8 kB, long texts aside, of which each property with a value takes some. */
const ROW_TOO_LARGE = /^row is too big/

/**
 * What a worker of Citus says during a COPY arrives without its code, and what it means must be
 * read from its words.
 */
const UNSPECIFIED = 'XX000'
const CODES_BY_MESSAGE: readonly (readonly [words: RegExp, code: string])[] = [
  [ROW_TOO_LARGE, TOO_LARGE],
  [/^deadlock detected/, '40P01'],
  [/^could not (?:extend|write)/, '53100'],
  [/^canceling statement due to lock timeout/, '55P03'],
  [/^canceling statement/, '57014'],
  [/^terminating connection/, '57P01'],
]

/** The codes that end a connection, or that a connection never begins with. */
const LOST_CODES = /^(?:08|25P03|28|3D000|57P|53300)/

/** What the driver says, in words only, of a connection that is no more. */
const LOST_MESSAGES =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout exceeded when trying to connect)/

const SYSTEM_ERRORS =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOENT)$/

/**
 * A message that was not understood. Ours would be a mistake, and the connection goes on; poolers
 * say with it, as they end the connection, that there is no server.
 */
const PROTOCOL_VIOLATION = '08P01'

/** What driver or server say where a password is asked for, and there is none. */
const NO_PASSWORD = /client password must be a|^empty password returned by client/

interface DriverError {
  readonly code?: unknown
  readonly severity?: unknown
  readonly message?: unknown
  readonly errors?: readonly unknown[]
}

/**
 * A passing failure becomes 503, what the database can never take 413, each with the true cause for
 * the log; anything else stays as it is.
 */
export function toStoreFailure(error: unknown): unknown {
  if (error instanceof ObjectQueryError) return error
  if (codeOf(error) === TOO_LARGE) {
    const reason = ROW_TOO_LARGE.test(messageOf(error))
      ? 'an object has more properties with values than a row of the database can hold'
      : 'this is larger than the database can take'
    return new ObjectQueryError('Default:RequestEntityTooLarge', { reason }, { cause: error })
  }
  if (NO_PASSWORD.test(messageOf(error))) {
    const reason = 'the database asks for a password, and the URL has none'
    // What the driver says of it explains nothing.
    return new ObjectQueryError('ServiceUnavailable', { reason })
  }
  const reason = transientReason(error)
  if (reason === undefined) return error
  return new ObjectQueryError('ServiceUnavailable', { reason }, { cause: error })
}

function transientReason(error: unknown): string | undefined {
  const code = codeOf(error)
  if (code === PROTOCOL_VIOLATION && !isLostConnection(error)) return undefined
  const known = TRANSIENT[code] ?? TRANSIENT[code.slice(0, 3)] ?? TRANSIENT[code.slice(0, 2)]
  return known ?? (isLostConnection(error) ? UNREACHABLE : undefined)
}

/** Whether the connection is gone, so that another one is needed to go on. */
export function isLostConnection(error: unknown): boolean {
  const { code, message, severity, errors } = (error ?? {}) as DriverError
  if (code === PROTOCOL_VIOLATION) return severity === 'FATAL'
  if (typeof code === 'string') return LOST_CODES.test(code) || SYSTEM_ERRORS.test(code)
  // Several addresses were tried, each failed.
  if (Array.isArray(errors)) return errors.some(isLostConnection)
  return typeof message === 'string' && LOST_MESSAGES.test(message)
}

/** Whether two transactions were in each other's way: one of them is asked to begin again. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

/** Whether a statement was cancelled because it ran too long, or because it was asked to. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** Whether a statement ended because it was asked to; false in doubt, as in another language. */
export function isCancelled(error: unknown): boolean {
  return isStatementTimeout(error) && /user request/.test(messageOf(error))
}

const LOCK_TIMEOUT = '55P03'

/** Whether waiting for a lock took too long; also true of the error that a client is told. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error instanceof ObjectQueryError ? error.cause : error) === LOCK_TIMEOUT
}

const MISSING_TABLE = '42P01'

/** What the database would say of a table that was never made, if nothing else had its name. */
export class MissingTable extends Error {
  readonly code = MISSING_TABLE

  constructor(table: number) {
    super(`table ${table} is not made yet`)
    this.name = 'MissingTable'
  }
}

/**
 * Whether a table is not made yet, or was dropped between looking it up and reading it; also of
 * what a client is told.
 */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error instanceof ObjectQueryError ? error.cause : error) === MISSING_TABLE
}

/** The connection was lost while the answer to COMMIT was awaited. */
export class UnknownOutcome extends ObjectQueryError {
  constructor(cause: unknown) {
    const reason = 'the database was lost during the commit; whether this was written is not known'
    super('ServiceUnavailable', { reason }, { cause })
  }
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as DriverError
  if (typeof code !== 'string') return ''
  if (code !== UNSPECIFIED) return code
  return CODES_BY_MESSAGE.find(([words]) => words.test(messageOf(error)))?.[1] ?? code
}

function messageOf(error: unknown): string {
  return String(((error ?? {}) as DriverError).message)
}
