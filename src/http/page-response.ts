import { REVISIONS, type Revision, type RevisionRules } from '../contract/revisions.ts'

/**
 * The page envelope [2.1]: `data`, then `nextPageToken` when more exists, then `totalCount` where
 * the revision has it, unless an endpoint says otherwise. Records arrive as bytes and leave as
 * bytes; nothing is parsed.
 */

/** One page of a listing, its records already in the shape of the wire. */
export interface Page {
  /** The records as JSON text, separated by commas, without the brackets. */
  readonly records: Uint8Array
  readonly nextPageToken: string | undefined
  readonly totalCount: number
}

const HEAD = Buffer.from('{"data":[')

export function writePageEnvelope(
  revision: Revision,
  page: Page,
  { totalCount }: Pick<RevisionRules, 'totalCount'> = REVISIONS[revision],
): Buffer {
  let tail = ']'
  // Absent on the last page, never null and never empty [2.1.2]: clients loop on both.
  if (page.nextPageToken !== undefined) tail += `,"nextPageToken":"${page.nextPageToken}"`
  if (totalCount) tail += `,"totalCount":"${page.totalCount}"`
  tail += '}'

  const envelope = Buffer.allocUnsafe(HEAD.length + page.records.length + tail.length)
  HEAD.copy(envelope)
  envelope.set(page.records, HEAD.length)
  envelope.write(tail, HEAD.length + page.records.length, 'latin1')
  return envelope
}
