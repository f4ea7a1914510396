import { nextPageState } from '../../paging/next-page.ts'
import { effectivePageSize } from '../../paging/page-size.ts'
import { callerFingerprint, requestFingerprint } from '../../paging/request-fingerprint.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { Caller } from '../request/caller.ts'
import { digest } from '../response/entity-tag.ts'
import type { Services } from '../services.ts'
import { openWalk, sealWalk, tokenFacts } from '../walk-token.ts'
import type { Page } from './send-page.ts'

/**
 * A page of a definition's parts. They are few and in memory, so this is all paging that they
 * need; tokens are those of every other listing.
 */
export interface MetadataRequest<Part> {
  readonly requestId: string
  readonly endpoint: string
  readonly caller: Caller
  readonly ontologyRid: string
  /** The object type whose parts are listed; undefined where they are the ontology's. */
  readonly objectTypeRid: string | undefined
  readonly parts: readonly Part[]
  readonly pageToken: string | undefined
  readonly pageSize: number | undefined
  readonly maximumPageSize: number
}

/** A page, each part in the form that `describe` gives it. */
export function serveMetadataPage<Part extends { readonly apiName: string }>(
  request: MetadataRequest<Part>,
  describe: (part: Part) => object,
  services: Services,
): Page {
  const nowSeconds = services.now() / 1000
  const binding = bindingOf(request)
  const resumed = openWalk(request, binding, nowSeconds, services)
  const after = resumed?.after.pk ?? ''
  // By name, so that a change of the definition moves no part that it does not touch.
  const following = request.parts
    .filter(({ apiName }) => apiName > after)
    .sort((a, b) => (a.apiName < b.apiName ? -1 : 1))

  const wanted = following.slice(0, effectivePageSize(request.pageSize, request.maximumPageSize))
  const texts = textsWithinBudget(wanted, describe, services.limits.pageMaxBytes)
  const last = wanted[texts.length - 1]
  const next = nextPageState(
    {
      count: texts.length,
      last: last && { pk: last.apiName, version: 0 },
      more: following.length > texts.length,
    },
    { alreadySent: resumed?.served ?? 0, totalCount: undefined, snapshot: undefined },
  )
  const records = texts.join(',')
  return {
    records: Buffer.from(records),
    nextPageToken: sealWalk(next, binding, nowSeconds, services),
    totalCount: request.parts.length,
    facts: [
      digest(records),
      binding.caller.toString('base64url'),
      ...tokenFacts(nowSeconds, services),
    ],
  }
}

function bindingOf({ endpoint, ontologyRid, objectTypeRid, caller }: MetadataRequest<unknown>) {
  return {
    request: requestFingerprint({
      endpoint,
      revision: '1.0',
      ontologyRid,
      objectType: objectTypeRid ?? '',
      query: EVERYTHING,
      order: [],
      selection: undefined,
      snapshot: false,
    }),
    caller: callerFingerprint(caller.id),
  }
}

/** A type may have many and long descriptions, so pages of types end at the same bytes as others. */
function textsWithinBudget<Part>(
  parts: readonly Part[],
  describe: (part: Part) => object,
  maxBytes: number,
): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const part of parts) {
    const text = JSON.stringify(describe(part))
    bytes += Buffer.byteLength(text) + 1
    if (bytes > maxBytes && texts.length > 0) break
    texts.push(text)
  }
  return texts
}
