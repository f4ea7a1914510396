/** Connections to the source database, and which of their failures are temporary. */
import pg from 'pg'
import { isRetryable } from '../../client/retry.ts'

/**
 * Texts of values depend on these settings. Timeouts of the role must not end a long copy, and the
 * stream is kept alive more often than the last one demands.
 */
const SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'iso_8601',
  extra_float_digits: '1',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  wal_sender_timeout: '60s',
  // Fails instead of copying only the rows that policies show.
  row_security: 'off',
}

const AS_TEXT = { getTypeParser: () => (text: string) => text }

/**
 * Opens a connection on which every value is a text; one for replication takes no parameters. The
 * timeout is that of each step: 0 for none.
 */
export async function connectSource(
  url: string,
  { replication = false, timeoutMs = 0 } = {},
): Promise<pg.Client & AsyncDisposable> {
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  const client = new pg.Client({
    connectionString: url,
    application_name: 'oqs sync',
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
    ...(timeoutMs > 0 && { query_timeout: timeoutMs }),
    options: options.join(' '),
    types: AS_TEXT as unknown as pg.CustomTypesConfig,
    ...(replication && { replication: 'database' }),
  })
  // A lost connection also fails the query in progress; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect().catch((error: Error & { readonly code?: string }) => {
    if (!isForbidden(error)) {
      error.message = `Cannot connect to the source ${client.host}:${client.port}/${client.database}: ${error.message}`
      throw error
    }
    throw new Error(
      `${error.message}. Let the role replicate: ALTER ROLE "${client.user}" REPLICATION`,
    )
  })
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end().catch(() => {}) })
}

/** Returns whether the role lacks a right. */
export function isForbidden(error: unknown): boolean {
  return (error as { readonly code?: string }).code === '42501'
}

/** Returns whether a table or a column does not exist. */
export function isUndefined(error: unknown): boolean {
  return ['42P01', '42703'].includes((error as { readonly code?: string }).code ?? '')
}

/** Connection failures, shutdown, recovery, too many connections, a full disk, a slot in use. */
const TEMPORARY_STATES = /^(?:08|53[123]00|57P0[123]|55006)/
const LOST_CODES = /^(?:ECONNRESET|ECONNABORTED|EPIPE)/
const UNREACHABLE_CODES = /^(?:ECONNREFUSED|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN)/

/** Returns whether an error of the source or the service may go away without help. */
export function isTemporary(error: unknown): boolean {
  const { code = '', message } = error as { readonly code?: string; readonly message: string }
  if (isRetryable(error) || isUnreachable(error)) return true
  return (
    TEMPORARY_STATES.test(code) ||
    LOST_CODES.test(code) ||
    /Connection terminated|not queryable/.test(message)
  )
}

/** Returns whether nothing answers at the address of the source. */
export function isUnreachable(error: unknown): boolean {
  return UNREACHABLE_CODES.test((error as { readonly code?: string }).code ?? '')
}
