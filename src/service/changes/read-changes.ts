/**
 * Reads what has changed between two moments: a page of `{"put": record}` and
 * `{"delete": {"primaryKey": …}}`, each object once, with its latest state. An object that matched at
 * the first moment and no longer matches, or that the caller may no longer see, counts as deleted.
 * Objects of several types come type after type.
 */

import { isPartlyHidden, ShownVersion, shownProperties } from '../../access/ruled-objects.ts'
import { pageSizeOf } from '../../paging/page-limits.ts'
import { encodeSetPosition } from '../../paging/set-cursor.ts'
import { changesTokenRefused, pageTokenRefused } from '../../paging/walk-tokens.ts'
import type { ListedChange, SetCursor } from '../../store/object-store.ts'
import { bindChanges, refuseUnfollowable } from '../pages/changes-token.ts'
import type { Page, PagedRequest } from '../pages/page.ts'
import { readWalkPage, type WalkedPage, type WalkMoment } from '../pages/walk.ts'
import type { ServiceParts } from '../service-parts.ts'
import { CHANGES } from './change-form.ts'
import { type ChangedRecords, type ChangeEntry, changedRecords } from './changed-records.ts'
import {
  type ChangesRange,
  type ChangesSpec,
  openMoment,
  openRange,
  type PartRange,
} from './changes-walk.ts'
import { membersOf } from './matching-keys.ts'

export async function readChanges(
  request: PagedRequest,
  spec: ChangesSpec,
  services: ServiceParts,
): Promise<Page> {
  refuseUnfollowable(spec)
  const { since, pageToken } = spec.paging
  const ofChanges = await bindChanges(request, spec, services)
  const ofPages = await bindChanges(request, spec, services, since)
  const known = openMoment(spec, ofChanges, services)
  const read = async (at: WalkMoment): Promise<WalkedPage> => {
    const range = await openRange(request, spec, known, at, services)
    const page = await readRange(request, spec, range, services)
    const { until: versions, takenAtSeconds } = range
    const objectTypes = spec.parts.map(({ objectType }) => objectType)
    return {
      ...page,
      noted: { types: objectTypes, objects: page.count },
      version:
        objectTypes.length === 1 ? ShownVersion.read(objectTypes, versions[0] ?? 0) : undefined,
      isTaggedByContent: true,
      etagInputs: [ofChanges.request.toString('base64url')],
      common: { snapshot: { version: 0, takenAtSeconds } },
      sealChanges: () => {
        const moment = { versions, takenAtSeconds, listedTypes: spec.listedTypes }
        return services.walkTokens.sealChanges(moment, ofChanges)
      },
    }
  }
  return readWalkPage(request, { pageToken, binding: ofPages, read }, services)
}

/** Reads the changes of a page, from one part or several. */
async function readRange(
  request: PagedRequest,
  spec: ChangesSpec,
  range: ChangesRange,
  services: ServiceParts,
) {
  const { admission, limits } = services
  const pageSize = pageSizeOf(spec.maximumPageSize, spec.paging)
  const records: Uint8Array[] = []
  let [count, bytes] = [0, 0]
  let after = range.after ?? startOf(range, 0)
  while (after !== undefined && count < pageSize) {
    const found = await readPart(request, spec, range, after, pageSize - count, services)
    // What a page starts with is in it even if it exceeds the budget.
    if (count > 0 && bytes + found.records.length > limits.pageMaxBytes) break
    after = found.next
    if (found.count > 0) records.push(...(count === 0 ? [] : [COMMA]), found.records)
    count += found.count
    bytes += found.records.length + 1
    // A page is never empty if another one follows.
    if (count > 0 && !found.isWhole) break
    await admission.takeTurn(request.context.callerId)
    request.context.signal().throwIfAborted()
  }
  return {
    records: count === 0 ? NO_RECORDS : Buffer.concat(records),
    count,
    last: after && {
      pk: encodeSetPosition({ ...after, versions: range.until }),
      version: after.version,
    },
    more: after !== undefined,
  }
}

const COMMA = Buffer.from(',')
const NO_RECORDS = new Uint8Array()

interface PartChanges extends Pick<ChangedRecords, 'records' | 'count'> {
  /** Where the changes go on, in this part or a later one; undefined at the end. */
  readonly next: SetCursor | undefined
  /** Whether they reach the end of the part. */
  readonly isWhole: boolean
}

/** Reads changes of one part. All of them may be hidden, although more follow. */
async function readPart(
  request: PagedRequest,
  { form = CHANGES, paging }: ChangesSpec,
  range: ChangesRange,
  { part: index, pk, version }: SetCursor,
  maxChanges: number,
  services: ServiceParts,
): Promise<PartChanges> {
  const { context } = request
  const part = range.parts[index]
  if (part === undefined) throw pageTokenRefused(paging.pageToken, 'malformed')
  const listed = await services.objects.listChanges(
    {
      objectType: part.objectType,
      since: part.since.version,
      until: part.until.version,
      after: pk === '' ? undefined : { pk, version },
      maxChanges,
      includesUnchanged: part.isLinkedChanged,
    },
    context,
  )
  if (listed === 'reclaimed') throw changesTokenRefused(paging.since, 'reclaimed')
  const entries = await entriesOf(part, listed.changes, request, services)
  const found = await changedRecords(part, entries, form, context, services)
  const last = found.isCut ? found.last : listed.changes.at(-1)
  const isWhole = !found.isCut && !listed.more
  const next = isWhole || last === undefined ? startOf(range, index + 1) : { ...last, part: index }
  return { ...found, next, isWhole }
}

/** Returns the start of the first part, from an index on, that may have changes. */
function startOf({ parts }: ChangesRange, from: number): SetCursor | undefined {
  const part = parts.findIndex(
    ({ since, until, isLinkedChanged }, index) =>
      index >= from && (since.version !== until.version || isLinkedChanged),
  )
  return part < 0 ? undefined : { part, pk: '', version: 0 }
}

/** Returns what the caller sees of changes. */
async function entriesOf(
  { objectType, query, since, until }: PartRange,
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
  // What is a member now and has changed is in the page anyway, unless all of it is hidden.
  const doubtful = shownProperties(objectType)
    ? changes
    : changes.filter((change) => !(isMember(change) && change.isChanged))
  const before = await members(since, doubtful)
  const isDoubtful = shownProperties(objectType) !== undefined
  return changes.flatMap((change): ChangeEntry[] => {
    if (!isMember(change)) return isIn(before, change) ? [{ kind: 'delete', change }] : []
    if (!isIn(before, change)) return [{ kind: 'put', change }]
    return change.isChanged ? [{ kind: 'put', change, isDoubtful }] : []
  })
}
