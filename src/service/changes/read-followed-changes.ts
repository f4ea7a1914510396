/**
 * Pages of changes for those that follow. After a commit, the followers of one caller ask for the same
 * page at the same time: those that follow the same objects from the same moment share one read and its
 * bytes, which are counted once.
 */
import { shapeKey } from '../../contract/object-record.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { typesOfSet } from '../../store/object-store.ts'
import { bindChanges } from '../pages/changes-token.ts'
import type { PagedRequest } from '../pages/page.ts'
import type { ServiceParts } from '../service-parts.ts'
import { type ChangesSpec, NOW, openMoment } from './changes-walk.ts'
import { readChanges } from './read-changes.ts'
import type { FollowedPage } from './shared-reads.ts'

export async function readFollowedChanges(
  request: PagedRequest,
  spec: ChangesSpec,
  services: ServiceParts,
): Promise<FollowedPage> {
  const { method, caller, context } = request
  const { admission, followers, memory } = services
  // Before anything is read: a thousand followers try again and again while nothing is left.
  memory.refuseWhenFull(context.callerId)
  const key = await keyOf(request, spec, services)
  const defer = (leave: () => void) => context.defer(leave)
  const shared = await followers.reads.join(spec.ontology, key, defer, (held) => {
    // Goes on if the follower leaves that asked first: others wait for it.
    const { signal } = new AbortController()
    const own = {
      callerId: context.callerId,
      signal: () => signal,
      defer: (callback: () => void) => held.defer(callback),
      noteRead: () => {},
    }
    const { since } = spec.paging
    return admission.runFollowed(own.callerId, async () => {
      return { page: await readChanges({ method, caller, context: own }, spec, services), since }
    })
  })
  // All of them have the page now, and sending it takes as long as reading it.
  await admission.takeTurn(context.callerId)
  context.signal().throwIfAborted()
  const objectTypes = spec.parts.map(({ objectType }) => objectType)
  context.noteRead(objectTypes, shared.page.count ?? 0)
  return shared
}

/** Returns what a page depends on, besides the definition and the view of its ontology. */
async function keyOf(
  request: PagedRequest,
  spec: ChangesSpec,
  services: ServiceParts,
): Promise<string> {
  const { pageSize } = spec.paging
  const binding = await bindChanges(request, spec, services)
  return JSON.stringify([
    request.caller.id,
    binding.request.toString('base64url'),
    momentsOf(spec, binding, services),
    [pageSize, spec.maximumPageSize, spec.form?.name],
    spec.parts.map(({ record }) => shapeKey(record.shape)),
  ])
}

/** Identifies the moments after which and up to which a page has changes. */
function momentsOf(spec: ChangesSpec, binding: TokenBinding, services: ServiceParts): unknown {
  const { since, pageToken } = spec.paging
  // The token of a later page says both.
  if (pageToken) return [since, pageToken]
  // Another node may have published a version that this one has not heard of yet.
  if (since === NOW) return services.newUuid()
  const types = typesOfSet(spec.parts).map(({ rid }) => rid)
  const from = openMoment(spec, binding, services) ?? since
  return [from, services.followers.lastPublication(types)]
}
