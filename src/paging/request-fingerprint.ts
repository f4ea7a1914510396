import { hash } from 'node:crypto'
import type { Revision } from '../contract/revisions.ts'

/**
 * "The rest of the request is repeated unchanged" [4.1.1]: what a page token is bound to. The page
 * size is no part of it, because it is a suggestion. The query is the parsed one, so that another
 * spelling of the same question is the same request.
 */
export interface FingerprintedRequest {
  readonly endpoint: string
  readonly revision: Revision
  readonly ontologyRid: string
  /** RID, key and key type: another type of the same name is another request. */
  readonly objectType: string
  /** The parsed query: plain data whose members always stand in the same order. */
  readonly query: object
  readonly order: readonly object[]
  readonly selection: readonly string[] | undefined
  readonly snapshot: boolean
}

export const FINGERPRINT_BYTES = 16

export function requestFingerprint(request: FingerprintedRequest): Buffer {
  const { endpoint, revision, ontologyRid, objectType, query, order, selection, snapshot } = request
  return shortHash(
    JSON.stringify([
      endpoint,
      revision,
      ontologyRid,
      objectType,
      query,
      order,
      selection ?? null,
      snapshot,
    ]),
  )
}

/** Callers come back with every page. */
const callers = new Map<string, Buffer>()
const CALLERS_KEPT = 1000

export function callerFingerprint(callerId: string): Buffer {
  let fingerprint = callers.get(callerId)
  if (fingerprint === undefined) {
    fingerprint = shortHash(callerId)
    if (callers.size >= CALLERS_KEPT) callers.clear()
    callers.set(callerId, fingerprint)
  }
  return fingerprint
}

function shortHash(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, FINGERPRINT_BYTES)
}
