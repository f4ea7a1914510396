import { ObjectQueryError } from '../../../contract/errors.ts'

/** What a failure of SQLite means to a client. */

/** Primary result codes after which the same request can succeed later. */
const TRANSIENT: Readonly<Record<number, string>> = {
  5: 'the database is busy',
  6: 'a table is locked',
  7: 'the service is out of memory',
  8: 'the database cannot be written to',
  10: 'the disk does not answer as it should',
  13: 'the disk is full',
  14: 'the database cannot be opened',
}

/** SQLITE_CORRUPT and SQLITE_NOTADB: a page, or the whole file, is not what SQLite wrote. */
const DAMAGE: readonly number[] = [11, 26]

const DAMAGE_REASON = 'the database file is damaged'

/** The database file is damaged: nothing that is read from it can be trusted. */
export class StoreDamage extends ObjectQueryError {
  constructor(cause?: unknown) {
    super('ServiceUnavailable', { reason: DAMAGE_REASON }, { cause })
  }
}

/**
 * Turns a failure of SQLite into 503, with the true cause for the log, if it passes by itself or
 * is damage. Anything else stays as it is.
 */
export function toStoreFailure(error: unknown): unknown {
  const errcode = (error as { errcode?: number } | null)?.errcode
  if (errcode === undefined) return error
  // The low byte is the primary code, the rest tells more of the same.
  const code = errcode & 0xff
  if (DAMAGE.includes(code)) return new StoreDamage(error)
  const reason = TRANSIENT[code]
  if (reason === undefined) return error
  return new ObjectQueryError('ServiceUnavailable', { reason }, { cause: error })
}
