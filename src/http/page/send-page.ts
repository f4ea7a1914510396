/**
 * The page envelope [2.1]: `data`, then `nextPageToken` if more exists, then `totalCount` if the
 * endpoint has it. Records arrive as bytes and leave as bytes, neither parsed nor copied.
 */
import type { FastifyReply } from 'fastify'
import type { Page } from '../../service/pages/page.ts'
import { requireVerified } from '../../store/port/request-context.ts'
import { dataHeaders } from '../response/data-headers.ts'
import {
  CACHE_CONTROL,
  digest,
  etagOfInputs,
  isCacheable,
  isNotModified,
} from '../response/entity-tag.ts'

const HEAD = '{"data":['

function etagOfPage({ etagInputs, records, isTaggedByContent = false }: Page): string {
  return etagOfInputs(isTaggedByContent ? [...etagInputs, digest(records)] : etagInputs)
}

/**
 * Sends a page without the framework, which only sends bodies in one piece. `furtherMembers` of the
 * envelope are JSON text.
 */
export function sendPage(reply: FastifyReply, page: Page, furtherMembers?: string): FastifyReply {
  const headers = dataHeaders(reply, page.version)
  if (isCacheable(reply)) {
    const etag = etagOfPage(page)
    headers['etag'] = etag
    headers['cache-control'] = CACHE_CONTROL
    if (isNotModified(reply, etag)) {
      reply.request.activity.notePage({ objects: page.count })
      reply.headers(headers)
      return reply.code(304).send()
    }
  }
  let tail = ']'
  // Absent on the last page, never null and never empty [2.1.2]: clients loop on both.
  if (page.nextPageToken !== undefined) tail += `,"nextPageToken":"${page.nextPageToken}"`
  if (page.totalCount !== undefined) tail += `,"totalCount":"${page.totalCount}"`
  if (furtherMembers !== undefined) tail += `,${furtherMembers}`
  tail += '}'

  requireVerified(reply.request.context)
  const { raw, request } = reply.hijack()
  const bodyBytes = HEAD.length + page.records.length + Buffer.byteLength(tail)
  request.activity.notePage({ objects: page.count, bytes: bodyBytes })
  headers['content-type'] = 'application/json'
  headers['content-length'] = String(bodyBytes)
  raw.writeHead(200, headers)
  raw.write(HEAD, 'latin1')
  raw.write(page.records)
  raw.end(tail, 'utf8')
  return reply
}
