/**
 * Sends objects, groups and other data: with the time that it took, the version that was read, and an
 * entity tag, so that a client whose copy is still current gets 304 (RFC 9110, 8.8.3 and 13.1.2).
 */
import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ShownVersion } from '../../access/ruled-objects.ts'
import { type Aggregated, bytesOf } from '../../service/aggregate-within.ts'
import type { FoundRecord } from '../../service/pages/find-object.ts'
import type { Page } from '../../service/pages/page.ts'
import { type ReadReport, requireVerified } from '../../store/port/request-context.ts'
import { COMPRESS_FROM_BYTES, codingFor, createCompressor } from './compress-data.ts'

/** The version of the object type that was read. */
export const VERSION_HEADER = 'oqs-version'

/** The trailer field with the number of objects of an export, which is known at its end. */
export const COUNT_TRAILER = 'oqs-count'

/** Lets clients keep responses for themselves, if they revalidate them for every use. */
const CACHE_CONTROL = 'private, no-cache'

const HEAD = '{"data":['
const HEAD_BYTES = Buffer.from(HEAD)

/**
 * Sends a page [2.1]: `data`, then `nextPageToken` if more exists, then `totalCount` if the endpoint
 * has it. `furtherMembers` of the envelope are JSON text. Records arrive as bytes and leave as bytes,
 * neither parsed nor copied.
 */
export function sendPage(reply: FastifyReply, page: Page, furtherMembers?: string): FastifyReply {
  const headers = dataHeaders(reply, page.version)
  if (isCacheable(reply)) {
    const etag = etagOfPage(page)
    if (etag === undefined) headers['cache-control'] = 'no-store'
    else if (sendUnchanged(reply, headers, etag)) {
      reply.request.context.sentPage = { objects: page.count }
      return reply
    }
  }
  let tail = ']'
  // Absent on the last page, never null and never empty [2.1.2]: clients loop on both.
  if (page.nextPageToken !== undefined) tail += `,"nextPageToken":"${page.nextPageToken}"`
  if (page.nextChangesToken !== undefined) tail += `,"nextChangesToken":"${page.nextChangesToken}"`
  if (page.totalCount !== undefined) tail += `,"totalCount":"${page.totalCount}"`
  if (furtherMembers !== undefined) tail += `,${furtherMembers}`
  tail += '}'

  const pieces = [HEAD_BYTES, page.records, Buffer.from(tail)]
  return sendBody(reply, headers, pieces, page.count)
}

/** Sends one object, which is already JSON. */
export function sendObject(reply: FastifyReply, { json, version }: FoundRecord): FastifyReply {
  const headers = dataHeaders(reply, version)
  if (isCacheable(reply) && sendUnchanged(reply, headers, etagOfBytes(json))) return reply
  sendHead(reply, headers, { bytes: json.length }).end(json)
  return reply
}

/**
 * Sends text that is already JSON, without serialising it again. `knownEtag` is its tag, if the caller
 * knows it already.
 */
export function sendJson(
  reply: FastifyReply,
  json: Buffer | string,
  knownEtag?: string,
): FastifyReply {
  const headers = dataHeaders(reply, undefined)
  if (isCacheable(reply) && sendUnchanged(reply, headers, knownEtag ?? etagOfBytes(json))) {
    return reply
  }
  return reply.headers(headers).type('application/json').send(json)
}

/** Adds the tag to the headers. If the client has the response with this tag, sends 304 instead. */
function sendUnchanged(
  reply: FastifyReply,
  headers: Record<string, string>,
  etag: string,
): boolean {
  headers['etag'] = etag
  headers['cache-control'] = CACHE_CONTROL
  if (!isNotModified(reply, etag)) return false
  reply.headers(headers).code(304).send()
  return true
}

/**
 * Sends the head of a JSON response without the framework, whose hooks and checks cost more than the
 * rest of a small response. The caller writes the body.
 */
function sendHead(
  reply: FastifyReply,
  headers: Record<string, string>,
  sent: { readonly objects?: number | undefined; readonly bytes: number },
): ServerResponse {
  requireVerified(reply.request.context)
  const { raw, request } = reply.hijack()
  request.context.sentPage = sent
  headers['content-type'] = 'application/json'
  if (headers['content-encoding'] === undefined) headers['content-length'] = String(sent.bytes)
  raw.writeHead(200, headers)
  return raw
}

/** Sends the groups of an aggregation, for every version of the API. */
export function sendAggregated(
  reply: FastifyReply,
  aggregated: Aggregated,
  members?: Readonly<Record<string, unknown>>,
): FastifyReply {
  return sendPieces(reply, aggregationPieces(aggregated, members), aggregated.version)
}

/** Sends several aggregations of one version, each with the same members. */
export function sendAggregatedBatch(
  reply: FastifyReply,
  batch: readonly Aggregated[],
  members?: Readonly<Record<string, unknown>>,
): FastifyReply {
  const pieces = batch.flatMap((aggregated, index) => [
    Buffer.from(index === 0 ? HEAD : ','),
    ...aggregationPieces(aggregated, members),
  ])
  return sendPieces(reply, [...pieces, Buffer.from(']}')], batch[0]?.version)
}

function aggregationPieces(
  { records, excludedItems }: Aggregated,
  members: Readonly<Record<string, unknown>> = {},
): readonly Uint8Array[] {
  // Members that are undefined are omitted.
  const envelope = JSON.stringify({ excludedItems, ...members, data: [] })
  return [Buffer.from(envelope.slice(0, -2)), ...records, Buffer.from(']}')]
}

function sendPieces(
  reply: FastifyReply,
  pieces: readonly Uint8Array[],
  version: ShownVersion | undefined,
): FastifyReply {
  return sendBody(reply, dataHeaders(reply, version), pieces)
}

/** Sends the pieces of a JSON response, compressed if it is large and the client asks for it. */
function sendBody(
  reply: FastifyReply,
  headers: Record<string, string>,
  pieces: readonly Uint8Array[],
  objects?: number,
): FastifyReply {
  const { request } = reply
  const bytes = bytesOf(pieces)
  if (bytes >= COMPRESS_FROM_BYTES) headers['vary'] = 'accept-encoding'
  const coding = request.method === 'HEAD' ? undefined : codingFor(request.headers, bytes)
  if (coding === undefined) {
    const raw = sendHead(reply, headers, { objects, bytes })
    for (const piece of pieces) raw.write(piece)
    raw.end()
    return reply
  }
  headers['content-encoding'] = coding
  const sent = { objects, bytes: 0 }
  const raw = sendHead(reply, headers, sent)
  const compressor = createCompressor(coding)
  compressor.on('data', ({ length }: Buffer) => {
    sent.bytes += length
  })
  // A connection that is lost ends both; its request is reported when it closes.
  pipeline(compressor, raw, () => {})
  for (const piece of pieces) compressor.write(piece)
  compressor.end()
  return reply
}

/**
 * Returns the headers of a response: `Server-Timing` and, if objects of one type were read,
 * `oqs-version`.
 */
function dataHeaders(
  { request: { context } }: FastifyReply,
  version: ShownVersion | undefined,
): Record<string, string> {
  const [total, store] = [
    context.elapsedMs().toFixed(2),
    (context.readMs + context.writeMs).toFixed(2),
  ]
  const headers: Record<string, string> = {
    'server-timing': `total;dur=${total}, store;dur=${store}${plansOf(context.reads)}`,
  }
  if (version !== undefined) headers[VERSION_HEADER] = String(version.number)
  return headers
}

/** Returns how the pages of the response were read, for people who ask why it took so long. */
function plansOf(reads: readonly ReadReport[]): string {
  return [...new Set(reads.map(({ plan }) => plan))].map((plan) => `, plan;desc=${plan}`).join('')
}

function etagOfPage({ etagInputs, records, isTaggedByContent }: Page): string | undefined {
  if (etagInputs === undefined) return undefined
  // The inputs are numbers and short hashes in base64url, so the tag needs no hash of its own.
  const inputs = isTaggedByContent ? [...etagInputs, digest(records)] : etagInputs
  return `W/"${inputs.join('.')}"`
}

/** Returns the strong tag of a response that consists of these bytes. */
export function etagOfBytes(bytes: Buffer | string): string {
  return `"${digest(bytes)}"`
}

/** Returns a short hash of bytes. */
export function digest(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'base64url').slice(0, DIGEST_LENGTH)
}

const DIGEST_LENGTH = 22

/** Returns whether the response may carry a tag: a search is a POST, which cannot be cached. */
function isCacheable({ request }: FastifyReply): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

/** Returns whether the client already has the response with this tag. */
export function isNotModified({ request }: FastifyReply, etag: string): boolean {
  const header = request.headers['if-none-match']
  if (header === undefined) return false
  if (header.trim() === '*') return true
  // Weak comparison: only the opaque part counts.
  const opaque = etag.replace(/^W\//, '')
  return header.match(/"[^"]*"/g)?.some((one) => one === opaque) ?? false
}
