import type { RequestScope } from '../request/admission.ts'
import type { Services } from '../services.ts'

interface StoredRecords {
  readonly records: Uint8Array
  readonly release: () => void
}

/**
 * Accounts for the memory of a page until the request ends. Returns the turn to wait for before the
 * page is sent, if any: sending a large page takes as long as reading one, so if the page came from
 * another process or a database since `round`, other callers get a turn first.
 */
export function holdPage(
  stored: StoredRecords,
  round: number,
  context: RequestScope,
  { memory, admission }: Services,
): Promise<void> | undefined {
  const held = memory.hold(context.callerId, stored.records.length)
  context.defer(() => {
    stored.release()
    held.release()
  })
  return admission.resumeTurn(context.callerId, round)
}
