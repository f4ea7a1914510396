/** What page tokens are bound to: fingerprints of the request and of its caller [4.1.1]. */
import { hash } from 'node:crypto'
import type { Revision } from '../contract/revisions.ts'
import { CALLER_ID_BYTES, FINGERPRINT_BYTES } from './page-token.ts'

/**
 * The parts of a request that must not change during a walk. The page size is missing because it is
 * only a hint. The query is the parsed one, so equivalent spellings have the same fingerprint.
 */
export interface FingerprintedRequest {
  readonly endpoint: string
  readonly revision: Revision
  readonly ontologyRid: string
  /** RID, key property and key type, so that a recreated type of the same name differs. */
  readonly objectType: string
  /** The parsed query: plain data with its members in a fixed order. */
  readonly query: object
  readonly order: readonly object[]
  readonly selection: readonly string[] | undefined
  readonly snapshot: boolean
  /** Whether the records omit their RID, which only v2 supports. */
  readonly excludeRid?: boolean
}

/** Hashes a text to `FINGERPRINT_BYTES` bytes. */
export type HashText = (text: string) => Buffer

export function requestFingerprint(
  request: FingerprintedRequest,
  hashText: HashText = shortHash,
): Buffer {
  const { endpoint, revision, ontologyRid, objectType, query, order, selection, snapshot } = request
  const { excludeRid = false } = request
  return hashText(
    JSON.stringify([
      endpoint,
      revision,
      ontologyRid,
      objectType,
      query,
      order,
      selection ?? null,
      snapshot,
      ...(excludeRid ? ['excludeRid'] : []),
    ]),
  )
}

/**
 * Returns the fingerprint of a caller and of the rights that policies give it in an ontology. The
 * first half is that of the caller alone, so that changed rights can be distinguished from another
 * caller.
 */
export function callerFingerprint(
  callerId: string,
  viewId?: string,
  hashText: HashText = shortHash,
): Buffer {
  const caller = hashText(callerId)
  if (viewId === undefined) return caller
  const rights = hashText(JSON.stringify([callerId, viewId]))
  return Buffer.concat([caller.subarray(0, CALLER_ID_BYTES), rights.subarray(CALLER_ID_BYTES)])
}

export function shortHash(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, FINGERPRINT_BYTES)
}
