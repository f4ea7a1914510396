import { ObjectQueryError } from '../../contract/errors.ts'

/** What a failure of SQLite means to a client. */

/** Primary result codes after which the same request can succeed later. */
const PASSING: Readonly<Record<number, string>> = {
  5: 'the database is busy',
  6: 'a table is locked',
  8: 'the database cannot be written to',
  10: 'the disk does not answer as it should',
  13: 'the disk is full',
  14: 'the database cannot be opened',
}

const NO_MEMORY = 7

/** A passing failure becomes 503, with the true cause for the log; anything else stays as it is. */
export function toStoreFailure(error: unknown): unknown {
  const errcode = (error as { errcode?: number } | null)?.errcode
  if (errcode === NO_MEMORY) return new ObjectQueryError('QueryMemoryExceededLimit')
  // The low byte is the primary code, the rest tells more of the same.
  const reason = errcode === undefined ? undefined : PASSING[errcode & 0xff]
  if (reason === undefined) return error
  return new ObjectQueryError('ServiceUnavailable', { reason }, { cause: error })
}
