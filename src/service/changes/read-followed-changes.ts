/**
 * Pages of changes for those that follow. After a commit, the followers of one caller ask for the same
 * page at the same time: those that follow the same objects from the same moment share one read.
 */
import { shapeKey } from '../../contract/object-record.ts'
import { bindChanges } from '../pages/changes-token.ts'
import type { Page, PagedRequest } from '../pages/page.ts'
import type { ServiceParts } from '../service-parts.ts'
import { type ChangesSpec, openMoment } from './changes-walk.ts'
import { readChanges } from './read-changes.ts'

export interface FollowedPage {
  readonly page: Page
  /** The token to whose changes the next page belongs: of the same moment as the one that was sent. */
  readonly since: string
}

export async function readFollowedChanges(
  request: PagedRequest,
  spec: ChangesSpec,
  services: ServiceParts,
): Promise<FollowedPage> {
  const { method, caller, context } = request
  const key = await keyOf(request, spec, services)
  const shared = await services.followers.share(spec.ontology, key, async () => {
    using held = new DisposableStack()
    // Goes on if the follower leaves that asked first: others wait for it.
    const { signal } = new AbortController()
    const own = {
      callerId: context.callerId,
      signal: () => signal,
      defer: (callback: () => void) => held.defer(callback),
      noteRead: () => {},
    }
    const page = await readChanges({ method, caller, context: own }, spec, services)
    return { page, since: spec.paging.since }
  })
  context.signal().throwIfAborted()
  const { count = 0, records } = shared.page
  const objectTypes = spec.parts.map(({ objectType }) => objectType)
  context.noteRead(objectTypes, count)
  const held = services.memory.hold(context.callerId, records.length)
  context.defer(() => held.release())
  return shared
}

/** Returns what a page depends on, besides the definition and the view of its ontology. */
async function keyOf(
  request: PagedRequest,
  spec: ChangesSpec,
  services: ServiceParts,
): Promise<string> {
  const { since, pageToken, pageSize } = spec.paging
  const binding = await bindChanges(request, spec, services)
  return JSON.stringify([
    request.caller.id,
    binding.request.toString('base64url'),
    // Later pages are bound to the token itself.
    pageToken ? [since, pageToken] : (openMoment(spec, binding, services) ?? since),
    [pageSize, spec.maximumPageSize, spec.namesTypes],
    spec.parts.map(({ record }) => shapeKey(record.shape)),
  ])
}
