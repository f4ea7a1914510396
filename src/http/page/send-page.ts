/**
 * The page envelope [2.1]: `data`, then `nextPageToken` if more exists, then `totalCount` if the
 * endpoint has it. Records arrive as bytes and leave as bytes, neither parsed nor copied.
 */
import type { ServerResponse } from 'node:http'
import type { Page } from '../../service/pages/page.ts'
import type { RequestActivity } from '../request/request-activity.ts'
import { dataHeaders, type TimedReply } from '../response/data-headers.ts'
import {
  CACHE_CONTROL,
  digest,
  etagOfInputs,
  isCacheable,
  isNotModified,
  type TaggedReply,
} from '../response/entity-tag.ts'
import { requireVerified } from '../response/require-verified.ts'

/** The part of a reply that `sendPage` uses, whatever its schema. */
export interface PageReply<Reply> extends Omit<TaggedReply, 'request'> {
  readonly request: TaggedReply['request'] &
    TimedReply['request'] & { readonly activity: Pick<RequestActivity, 'notePage'> }
  readonly raw: ServerResponse
  hijack(): Reply
  headers(values: Record<string, string>): unknown
  code(status: 304): { send(payload: never): Reply }
}

const HEAD = '{"data":['

function etagOfPage({ etagInputs, records, isTaggedByContent = false }: Page): string {
  return etagOfInputs(isTaggedByContent ? [...etagInputs, digest(records)] : etagInputs)
}

/**
 * Sends a page without the framework, which only sends bodies in one piece. `furtherMembers` of the
 * envelope are JSON text.
 */
export function sendPage<Reply>(
  reply: PageReply<Reply>,
  page: Page,
  furtherMembers?: string,
): Reply {
  const headers = dataHeaders(reply, page.version)
  if (isCacheable(reply)) {
    const etag = etagOfPage(page)
    headers['etag'] = etag
    headers['cache-control'] = CACHE_CONTROL
    if (isNotModified(reply, etag)) {
      reply.request.activity.notePage({ objects: page.count })
      reply.headers(headers)
      return reply.code(304).send(undefined as never)
    }
  }
  let tail = ']'
  // Absent on the last page, never null and never empty [2.1.2]: clients loop on both.
  if (page.nextPageToken !== undefined) tail += `,"nextPageToken":"${page.nextPageToken}"`
  if (page.totalCount !== undefined) tail += `,"totalCount":"${page.totalCount}"`
  if (furtherMembers !== undefined) tail += `,${furtherMembers}`
  tail += '}'

  requireVerified(reply.request)
  const hijacked = reply.hijack()
  const { raw, request } = reply
  const bodyBytes = HEAD.length + page.records.length + Buffer.byteLength(tail)
  request.activity.notePage({ objects: page.count, bytes: bodyBytes })
  headers['content-type'] = 'application/json'
  headers['content-length'] = String(bodyBytes)
  raw.writeHead(200, headers)
  raw.write(HEAD, 'latin1')
  raw.write(page.records)
  raw.end(tail, 'utf8')
  return hijacked
}
