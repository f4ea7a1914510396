/**
 * A page of a walk. Objects, changes, links, audit records and metadata are walked in the same way: open
 * the page token, refuse while memory is full, read, account for the page, seal the next token. A kind of
 * walk adds only what differs: what its tokens are bound to, how it reads a page, where the page ended.
 */
import type { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Cursor } from '../../paging/cursor.ts'
import type { PageState, TokenBinding, TokenRefusal } from '../../paging/page-token.ts'
import { type CommonState, nextPageState, pageTokenRefused } from '../../paging/walk-tokens.ts'
import type { Reclaimed } from '../../store/object-store.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { Page, PagedRequest } from './page.ts'

/** A walk at the page that is requested. */
export interface Walk {
  readonly pageToken: string | null | undefined
  /** Only tokens with the same binding are accepted. It differs between all kinds of walks. */
  readonly binding: TokenBinding
  readonly read: (at: WalkMoment) => Promise<WalkedPage | Reclaimed>
  /** Returns the state that goes on as of now, if the token has expired or its rows are gone. */
  readonly continued?: (at: WalkMoment) => Promise<PageState | undefined>
}

/** Where a walk stands when a page is requested. */
export interface WalkMoment {
  /** Undefined on the first page. */
  readonly resumed: PageState | undefined
  readonly nowSeconds: number
}

/** A page as its kind of walk has read it. */
export interface WalkedPage
  extends Pick<Page, 'records' | 'count' | 'totalCount' | 'version' | 'isTaggedByContent'> {
  /** What was read, for the audit log; absent if the records are no objects. */
  readonly noted?: { readonly types: readonly ObjectType[]; readonly objects: number }
  /** Frees the memory of the records. */
  readonly release?: () => void
  readonly last: Cursor | undefined
  /** Whether a record follows the last one. */
  readonly more: boolean
  /** What all tokens of the walk carry. */
  readonly common?: CommonState
  /** Without what the tags of all walks have. Absent for pages without a tag. */
  readonly etagInputs?: readonly (string | number)[]
  /** Seals the token from which changes can be followed after the last page. */
  readonly sealChanges?: () => Promise<string | undefined> | string
}

export async function readWalkPage(
  { context }: PagedRequest,
  walk: Walk,
  services: ServiceParts,
): Promise<Page> {
  const { memory, admission, walkTokens } = services
  const { binding, pageToken } = walk
  const nowSeconds = services.now() / 1000
  const opened = walkTokens.open(pageToken, binding, nowSeconds) ?? { state: undefined }
  const isExpired = 'expired' in opened
  if ('refused' in opened && !isExpired) throw pageTokenRefused(pageToken, opened.refused)
  const resumed = isExpired ? opened.expired : opened.state
  const at = { resumed, nowSeconds }
  if (isExpired) throw await refusalOf(walk, at, 'expired', services)
  memory.refuseWhenFull(context.callerId)
  const { round } = admission
  const page = await walk.read(at)
  if (page === 'reclaimed') throw await refusalOf(walk, at, 'reclaimed', services)
  if (page.noted !== undefined) context.noteRead(page.noted.types, page.noted.objects)
  holdUntilSent(page, context, services)
  // Sending a large page takes as long as reading one: if it came from another process or a database,
  // other callers get a turn first.
  const turn = admission.resumeTurn(context.callerId, round)
  if (turn !== undefined) await turn
  const alreadySent = resumed?.served ?? 0
  const count = page.count ?? 0
  const next = nextPageState({ ...page, count }, { ...page.common, alreadySent })
  const { records, totalCount, version, isTaggedByContent } = page
  return {
    records,
    count: page.count,
    nextPageToken: walkTokens.seal(next, binding, nowSeconds),
    nextChangesToken: next === undefined ? await page.sealChanges?.() : undefined,
    totalCount,
    version,
    isTaggedByContent,
    etagInputs: page.etagInputs && [
      ...page.etagInputs,
      // The token is bound to the caller and its rights.
      binding.caller.toString('base64url'),
      alreadySent,
      count,
      // A record that follows the last page changes nothing else.
      next === undefined ? 0 : 1,
      ...walkTokens.etagInputs(nowSeconds),
    ],
  }
}

/** Returns the error of a page that cannot be read any more, with tokens to go on. */
async function refusalOf(
  { pageToken, binding, continued }: Walk,
  at: WalkMoment,
  refusal: TokenRefusal & ('expired' | 'reclaimed'),
  { walkTokens }: ServiceParts,
): Promise<ObjectQueryError> {
  const { resumed, nowSeconds } = at
  const snapshotToken =
    refusal === 'expired' && resumed ? walkTokens.renew(resumed, binding, nowSeconds) : undefined
  const continueToken = walkTokens.seal(await continued?.(at), binding, nowSeconds)
  return pageTokenRefused(pageToken, refusal, { snapshotToken, continueToken })
}

/** Accounts for the memory of a page until the request ends. */
function holdUntilSent(
  { records, release }: WalkedPage,
  context: ServiceContext,
  { memory }: ServiceParts,
): void {
  const held = memory.hold(context.callerId, records.length)
  context.defer(() => {
    release?.()
    held.release()
  })
}
