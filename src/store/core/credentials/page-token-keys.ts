/** The keys that seal page tokens. */
import { bytes } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { ReadSession } from '../session/session.ts'
import type { WriteOperation } from '../session/store-operations.ts'

/** Returns the keys, newest first. */
export function* readPageTokenKeys(session: ReadSession): Operation<readonly Uint8Array[]> {
  const sql = 'SELECT secret FROM oqs_page_token_key ORDER BY id DESC'
  return (yield* session.query(sql, [], { secret: bytes })).map(({ secret }) => secret)
}

/** Saves the first key, unless another node has saved one, and returns the keys. */
export const savePageTokenKey: WriteOperation<Uint8Array, readonly Uint8Array[]> = {
  name: 'savePageTokenKey',
  *run(session, key) {
    const sql = 'INSERT INTO oqs_page_token_key (id, secret) VALUES (1, ?) ON CONFLICT DO NOTHING'
    yield* session.run(sql, [key])
    return yield* readPageTokenKeys(session)
  },
}
