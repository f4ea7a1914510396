/**
 * One-time codes: secrets that work once and for a short time, in place of a bearer token. They are
 * kept as hashes in the store, so that any process of the service can redeem them.
 */
import { ObjectQueryError } from '../contract/errors.ts'
import type { Documents, IdempotencyNote } from '../store/object-store.ts'
import { hashSecret, newSecret } from './credentials.ts'

/** The length of a code in base64url. */
const CODE = /^[\w-]{43}$/

/** The kinds of codes, by the name that errors give them, each with its kind of document. */
const KINDS = { session: 'sessionCode', download: 'downloadTicket' } as const

export type CodeKind = keyof typeof KINDS

export function newCode(): string {
  return newSecret('')
}

/** Stores a code with what it stands for. */
export async function storeCode(
  documents: Documents,
  kind: CodeKind,
  code: string,
  body: object,
  {
    expiresAtMs,
    idempotencyKey,
  }: { readonly expiresAtMs: number; readonly idempotencyKey?: IdempotencyNote | undefined },
): Promise<void> {
  const document = { kind: KINDS[kind], id: hashSecret(code), body, expiresAtMs }
  await documents.put(document, undefined, idempotencyKey && { idempotencyKey })
}

/** Takes what a code stands for. Of several concurrent calls, one gets it. */
export async function redeemCode(
  documents: Documents,
  kind: CodeKind,
  code: string,
  nowMs: number,
): Promise<unknown> {
  const found = CODE.test(code)
    ? await documents.take(KINDS[kind], hashSecret(code), nowMs)
    : undefined
  if (found === undefined) throw invalidCode(kind)
  return found.body
}

/** Returns what a code stands for, and leaves the code valid. */
export async function peekCode(
  documents: Documents,
  kind: CodeKind,
  code: string,
  nowMs: number,
): Promise<unknown> {
  const found = await documents.find(KINDS[kind], hashSecret(code), nowMs)
  if (found === undefined) throw invalidCode(kind)
  return found.body
}

function invalidCode(code: CodeKind): ObjectQueryError {
  return new ObjectQueryError('InvalidOneTimeCode', { code })
}
