/** Translates failures of SQLite into errors for clients. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { NotWritable } from '../../not-writable.ts'

/** Primary result codes after which the same request can succeed later. */
const TRANSIENT: Readonly<Record<number, string>> = {
  5: 'the database is busy',
  6: 'a table is locked',
  7: 'the service is out of memory',
  8: 'the database is read-only',
  10: 'the disk reported an I/O error; check the disk, its quota and the limit of file sizes',
  13: 'the disk is full; free some space, then send the request again',
  14: 'the database cannot be opened',
}

/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL. */
const NOT_WRITABLE: readonly number[] = [8, 10, 13]

/** SQLITE_BUSY. */
const BUSY = 5

/** SQLITE_CORRUPT and SQLITE_NOTADB: a page or the whole file is damaged. */
const DAMAGE: readonly number[] = [11, 26]

/** The extended code SQLITE_IOERR_SHORT_READ: the WAL has lost pages. */
const SHORT_READ = 522

const DAMAGE_REASON = 'the database file is damaged'

/** The database file is damaged, so nothing that is read from it can be trusted. */
export class StoreDamage extends ObjectQueryError {
  constructor(cause?: unknown) {
    super('ServiceUnavailable', { reason: DAMAGE_REASON }, { cause })
  }
}

/** True for the failure of a statement that another transaction keeps from writing. */
export function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number } | null)?.errcode ?? 0) % 256 === BUSY
}

/**
 * Turns a transient failure or damage into 503, with its cause for the log. Returns any other error
 * unchanged.
 */
export function toStoreFailure(error: unknown): unknown {
  const errcode = (error as { errcode?: number } | null)?.errcode
  if (errcode === undefined) return error
  // The low byte of an extended result code is the primary code.
  const code = errcode & 0xff
  if (DAMAGE.includes(code) || errcode === SHORT_READ) return new StoreDamage(error)
  const reason = TRANSIENT[code]
  if (reason === undefined) return error
  if (NOT_WRITABLE.includes(code)) return new NotWritable(reason, error)
  return new ObjectQueryError('ServiceUnavailable', { reason }, { cause: error })
}
