import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Entity tags: a client that holds an answer can ask whether it still is the answer, and gets 304
 * instead of the same bytes again (RFC 9110, 8.8.3 and 13.1.2).
 */

/** The part of a reply that this needs, whatever schema types the rest of it. */
export interface TaggedReply {
  readonly request: { readonly method: string; readonly headers: IncomingHttpHeaders }
}

/** Clients may keep what they were sent, for themselves, and ask each time whether it holds. */
export const CACHE_CONTROL = 'private, no-cache'

/** The tag of an answer that is nothing but these bytes. */
export function tagOfBytes(bytes: Buffer | string): string {
  return `"${digest(bytes)}"`
}

/**
 * The tag of an answer that says the same as another one with the same facts, in other bytes. The
 * facts are short, and of letters, digits and hyphens: hashing them would take longer than sending.
 */
export function tagOfFacts(facts: readonly (string | number)[]): string {
  return `W/"${facts.join('.')}"`
}

/** A short name of bytes. */
export function digest(bytes: Buffer | string): string {
  return hash('sha256', bytes, 'base64url').slice(0, DIGEST_LENGTH)
}

const DIGEST_LENGTH = 22

/** Only what is read can be held; a search is asked by POST, which has no such thing. */
export function isTagged({ request }: TaggedReply): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

/** Whether the client holds the answer with this tag already. */
export function isHeld({ request }: TaggedReply, tag: string): boolean {
  const held = request.headers['if-none-match']
  if (held === undefined) return false
  if (held.trim() === '*') return true
  // Weak comparison: what stands between the quotes decides.
  const opaque = tag.replace(/^W\//, '')
  return held.match(/"[^"]*"/g)?.some((one) => one === opaque) ?? false
}
