import type { ServerResponse } from 'node:http'
import { REVISIONS, type Revision, type RevisionRules } from '../../contract/revisions.ts'
import {
  CACHE_CONTROL,
  isHeld,
  isTagged,
  type TaggedReply,
  tagOfFacts,
} from '../response/entity-tag.ts'

/**
 * The page envelope [2.1]: `data`, then `nextPageToken` when more exists, then `totalCount` where
 * the revision has it, unless an endpoint says otherwise. Records arrive as bytes and leave as
 * bytes: nothing is parsed, and nothing is copied.
 */

/** One page of a listing, its records already in the shape of the wire. */
export interface Page {
  /** The records as JSON text, separated by commas, without the brackets. */
  readonly records: Uint8Array
  readonly nextPageToken: string | undefined
  readonly totalCount: number
  /** What a page that says the same has in common with this one, whatever its token looks like. */
  readonly facts: readonly (string | number)[]
}

/** The part of a reply that this needs, whatever schema types the rest of it. */
interface PageReply<Reply> extends TaggedReply {
  readonly raw: ServerResponse
  hijack(): Reply
  headers(values: Record<string, string>): unknown
  code(status: 304): { send(payload: never): Reply }
}

const HEAD = '{"data":['

/** Sends a page past the framework, which can only send what is in one piece. */
export function sendPage<Reply>(
  reply: PageReply<Reply>,
  revision: Revision,
  page: Page,
  { totalCount }: Pick<RevisionRules, 'totalCount'> = REVISIONS[revision],
): Reply {
  const tag = isTagged(reply) ? tagOfFacts(page.facts) : undefined
  const tagged = tag === undefined ? {} : { etag: tag, 'cache-control': CACHE_CONTROL }
  if (tag !== undefined && isHeld(reply, tag)) {
    reply.headers(tagged)
    return reply.code(304).send(undefined as never)
  }
  let tail = ']'
  // Absent on the last page, never null and never empty [2.1.2]: clients loop on both.
  if (page.nextPageToken !== undefined) tail += `,"nextPageToken":"${page.nextPageToken}"`
  if (totalCount) tail += `,"totalCount":"${page.totalCount}"`
  tail += '}'

  const hijacked = reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    'content-type': 'application/json',
    'content-length': HEAD.length + page.records.length + tail.length,
    ...tagged,
  })
  raw.write(HEAD, 'latin1')
  raw.write(page.records)
  raw.end(tail, 'latin1')
  return hijacked
}
