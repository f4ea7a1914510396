/** Entity tags: a client whose copy is still current gets 304 (RFC 9110, 8.8.3 and 13.1.2). */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The part of a reply that conditional requests need, whatever its schema. */
export interface TaggedReply {
  readonly request: { readonly method: string; readonly headers: IncomingHttpHeaders }
}

/** Lets clients keep responses for themselves, if they revalidate them for every use. */
export const CACHE_CONTROL = 'private, no-cache'

/** Returns the strong tag of a response that consists of these bytes. */
export function etagOfBytes(bytes: Buffer | string): string {
  return `"${digest(bytes)}"`
}

/**
 * Returns the weak tag of a response that is equivalent to every other one with the same inputs.
 * The inputs are numbers and short hashes in base64url, so the tag needs no hash of its own.
 */
export function etagOfInputs(inputs: readonly (string | number)[]): string {
  return `W/"${inputs.join('.')}"`
}

/** Returns a short hash of bytes. */
export function digest(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'base64url').slice(0, DIGEST_LENGTH)
}

const DIGEST_LENGTH = 22

/** Returns whether the response may carry a tag: a search is a POST, which cannot be cached. */
export function isCacheable({ request }: TaggedReply): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

/** Returns whether the client already has the response with this tag. */
export function isNotModified({ request }: TaggedReply, etag: string): boolean {
  const header = request.headers['if-none-match']
  if (header === undefined) return false
  if (header.trim() === '*') return true
  // Weak comparison: only the opaque part counts.
  const opaque = etag.replace(/^W\//, '')
  return header.match(/"[^"]*"/g)?.some((one) => one === opaque) ?? false
}
