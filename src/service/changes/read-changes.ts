/**
 * Reads what has changed between two versions: a page of `{"put": record}` and
 * `{"delete": {"primaryKey": …}}`, each object once, with its latest state. An object that matched at
 * the first version and no longer matches, or that the caller may no longer see, counts as deleted.
 */
import { isPartlyHidden } from '../../access/policies/ruled-objects.ts'
import { pageTokenRefused } from '../../paging/walk-tokens.ts'
import type { ListedChange } from '../../store/object-store.ts'
import type { Page, PagedRequest } from '../pages/page.ts'
import { pageSizeOf } from '../pages/page-spec.ts'
import type { ServiceParts } from '../service-parts.ts'
import { type ChangeEntry, changedRecords } from './changed-records.ts'
import {
  type ChangesSpec,
  type ChangesWalk,
  openChangesWalk,
  sealChangesWalk,
} from './changes-walk.ts'
import { membersOf } from './members.ts'

export async function readChanges(
  request: PagedRequest,
  spec: ChangesSpec,
  services: ServiceParts,
): Promise<Page> {
  const { context } = request
  const { memory, admission, objects } = services
  const walk = await openChangesWalk(request, spec, services)
  memory.refuseWhenFull(context.callerId)
  const maxChanges = pageSizeOf(spec.maximumPageSize, spec.paging)
  for (let { after } = walk; ; ) {
    const listed = await objects.listChanges(
      {
        objectType: spec.objectType,
        since: walk.since.version,
        until: walk.until.version,
        after,
        maxChanges,
        includesUnchanged: walk.isLinkedChanged,
      },
      context,
    )
    if (listed === 'reclaimed') throw pageTokenRefused(spec.paging.pageToken, 'reclaimed')
    const entries = await entriesOf(spec, walk, listed.changes, request, services)
    const page = await changedRecords(spec, walk, entries, context, services)
    after = page.isCut ? page.last : listed.changes.at(-1)
    const hasMore = page.isCut || listed.more
    // A page is never empty if another one follows.
    if (page.count === 0 && hasMore) {
      await admission.takeTurn(context.callerId)
      context.signal().throwIfAborted()
      continue
    }
    context.noteRead([spec.objectType], page.count)
    const held = memory.hold(context.callerId, page.records.length)
    context.defer(() => held.release())
    return {
      records: page.records,
      count: page.count,
      totalCount: undefined,
      version: isPartlyHidden(spec.objectType) ? undefined : walk.until.version,
      ...sealChangesWalk(walk, hasMore ? after : undefined, services),
      isTaggedByContent: true,
      etagInputs: [
        walk.bindings.ofChanges.request.toString('base64url'),
        walk.bindings.ofChanges.caller.toString('base64url'),
        ...services.walkTokens.etagInputs(walk.nowSeconds),
      ],
    }
  }
}

/** Returns what the caller sees of changes. */
async function entriesOf(
  { objectType, query }: ChangesSpec,
  { since, until }: ChangesWalk,
  changes: readonly ListedChange[],
  { context }: PagedRequest,
  services: ServiceParts,
): Promise<readonly ChangeEntry[]> {
  const isWhole = query.kind === 'everything' && !isPartlyHidden(objectType)
  const members = (at: typeof since, of: readonly ListedChange[]) =>
    isWhole
      ? Promise.resolve(undefined)
      : membersOf(
          { objectType, query, versions: at, pks: of.map(({ pk }) => pk) },
          context,
          services,
        )
  const isIn = (found: ReadonlySet<string> | undefined, { pk }: ListedChange) =>
    found === undefined || found.has(pk)
  const current = changes.filter(({ isCurrent }) => isCurrent)
  const now = await members(until, current)
  const isMember = (change: ListedChange) => change.isCurrent && isIn(now, change)
  // What is a member now and has changed is in the page anyway.
  const doubtful = changes.filter((change) => !(isMember(change) && change.isChanged))
  const before = await members(since, doubtful)
  return changes.flatMap((change): ChangeEntry[] => {
    if (!isMember(change)) return isIn(before, change) ? [{ kind: 'delete', change }] : []
    return change.isChanged || !isIn(before, change) ? [{ kind: 'put', change }] : []
  })
}
