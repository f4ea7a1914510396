/**
 * `Idempotency-Key` on requests that write no objects: the store records the response in the
 * transaction of the write, and a repeated request gets it again.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { IdempotencyNote } from '../../store/object-store.ts'
import type { Services } from '../services.ts'
import { type KeyedRequest, readIdempotencyKey, repeatHeaders } from './idempotency-key.ts'
import { openNote, sealNote } from './sealed-response.ts'

/**
 * Returns what the store records with the write of a request: its key and its response. `secretOf` is
 * the id of what was created, if the response has a secret.
 */
export type RecordResponse = (
  response: string,
  secretOf?: string,
) => Promise<IdempotencyNote | undefined>

/** The part of a reply that a repeated response needs, whatever its schema. */
interface RepeatReply {
  headers(values: Record<string, string>): unknown
}

/** How a request is run. */
export interface OnceOptions {
  /** Whether responses have secrets, which are stored sealed. */
  readonly isSecret?: boolean
  /** Returns the response of a repeated request whose first one had none to record. */
  readonly continued?: () => Promise<string>
}

/**
 * Runs a request whose response is JSON, at most once for its key, and returns the response. `run`
 * must pass what `record` returns to the store.
 */
export async function applyOnce(
  request: KeyedRequest,
  reply: RepeatReply,
  services: Services,
  run: (record: RecordResponse) => Promise<string>,
  { isSecret = false, continued }: OnceOptions = {},
): Promise<string> {
  const idempotencyKey = readIdempotencyKey(request, services)
  if (idempotencyKey === undefined) return run(async () => undefined)
  const findResponse = async () => {
    const repeated = await services.store.findEarlierCommit(idempotencyKey)
    if (repeated === undefined) return undefined
    void reply.headers(repeatHeaders(repeated))
    const { note } = repeated
    if (note === undefined) return continued?.()
    return isSecret ? openNote(request, note) : note
  }
  const response = await findResponse()
  if (response !== undefined) return response
  try {
    return await run(async (text, secretOf) => {
      const note = secretOf === undefined ? text : await sealNote(request, text, secretOf)
      return { ...idempotencyKey, note }
    })
  } catch (error) {
    if (!(error instanceof ObjectQueryError)) throw error
    // A concurrent request with the same key may have been faster: this one then found its key in
    // use, or what it wanted to write already written.
    const faster = await findResponse()
    if (faster === undefined) throw error
    return faster
  }
}
