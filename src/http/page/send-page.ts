/**
 * The page envelope [2.1]: `data`, then `nextPageToken` if more exists, then `totalCount` if the
 * endpoint has it. Records arrive as bytes and leave as bytes, neither parsed nor copied.
 */
import type { ServerResponse } from 'node:http'
import { dataHeaders, type TimedReply } from '../response/data-headers.ts'
import {
  CACHE_CONTROL,
  digest,
  etagOfInputs,
  isCacheable,
  isNotModified,
  type TaggedReply,
} from '../response/entity-tag.ts'
import { requireConfirmed } from '../response/require-confirmed.ts'

/** A page of records, already serialised. */
export interface Page {
  /** The records as JSON text, separated by commas, without the brackets. */
  readonly records: Uint8Array
  readonly nextPageToken: string | undefined
  /** Absent from the envelope if undefined. */
  readonly totalCount: number | undefined
  /** Further members of the envelope, as JSON text. */
  readonly furtherMembers?: string | undefined
  /** The version that was read; undefined for metadata, and for objects of several types. */
  readonly version?: number | undefined
  /** Equal for two pages with the same content, although their tokens differ. */
  readonly etagInputs: readonly (string | number)[]
  /** Whether the entity tag is a hash of the records, because versions would reveal too much. */
  readonly isTaggedByContent?: boolean
}

/** The part of a reply that `sendPage` uses, whatever its schema. */
export interface PageReply<Reply> extends Omit<TaggedReply, 'request'> {
  readonly request: TaggedReply['request'] &
    TimedReply['request'] & { readonly context: { bodyBytes: number | undefined } }
  readonly raw: ServerResponse
  hijack(): Reply
  headers(values: Record<string, string>): unknown
  code(status: 304): { send(payload: never): Reply }
}

const HEAD = '{"data":['

function etagOfPage({ etagInputs, records, isTaggedByContent = false }: Page): string {
  return etagOfInputs(isTaggedByContent ? [...etagInputs, digest(records)] : etagInputs)
}

/** Sends a page without the framework, which only sends bodies in one piece. */
export function sendPage<Reply>(reply: PageReply<Reply>, page: Page): Reply {
  const headers = dataHeaders(reply, page.version)
  if (isCacheable(reply)) {
    const etag = etagOfPage(page)
    headers['etag'] = etag
    headers['cache-control'] = CACHE_CONTROL
    if (isNotModified(reply, etag)) {
      reply.headers(headers)
      return reply.code(304).send(undefined as never)
    }
  }
  let tail = ']'
  // Absent on the last page, never null and never empty [2.1.2]: clients loop on both.
  if (page.nextPageToken !== undefined) tail += `,"nextPageToken":"${page.nextPageToken}"`
  if (page.totalCount !== undefined) tail += `,"totalCount":"${page.totalCount}"`
  if (page.furtherMembers !== undefined) tail += `,${page.furtherMembers}`
  tail += '}'

  requireConfirmed(reply.request.context)
  const hijacked = reply.hijack()
  const { raw, request } = reply
  const bodyBytes = HEAD.length + page.records.length + Buffer.byteLength(tail)
  request.context.bodyBytes = bodyBytes
  headers['content-type'] = 'application/json'
  headers['content-length'] = String(bodyBytes)
  raw.writeHead(200, headers)
  raw.write(HEAD, 'latin1')
  raw.write(page.records)
  raw.end(tail, 'utf8')
  return hijacked
}
