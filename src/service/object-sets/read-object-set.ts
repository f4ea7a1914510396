/** Reads the object set of a request, with the temporary sets that it refers to. */

import { isPartlyHidden } from '../../access/ruled-objects.ts'
import { nextTurn } from '../../admission/next-turn.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { SET_PAGE_MAX_TYPES } from '../../contract/limits.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { isNothing } from '../../query/combine-queries.ts'
import {
  decodeListedTypes,
  encodeListedTypes,
  type ListedType,
} from '../../query/object-set/listed-types.ts'
import { listedIds, loadReferences } from '../../query/object-set/load-references.ts'
import { parseObjectSet, type SetPart } from '../../query/object-set/parse-object-set.ts'
import type { Query } from '../../query/query.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import { probeRequest } from '../pages/probe-request.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { findTemporarySet } from './temporary-set.ts'

/** The members of a request that its object set depends on. */
interface SetRequest {
  readonly objectSet: unknown
  readonly pageToken?: string | null | undefined
  /**
   * The changes token from which the set is followed, or `now`. A type without matches stays in the
   * set: objects of it may match later.
   */
  readonly since?: string | undefined
}

export interface RequestedSet {
  /** The object types of the set, each with a query. */
  readonly parts: readonly SetPart[]
  /**
   * Which types the listed objects had on the first page, if the set lists objects. Page tokens carry
   * this, so that a walk goes on after all objects of a type were deleted.
   */
  readonly listedTypes: readonly number[] | undefined
}

/**
 * Reads an object set. A static set does not say which types its objects have: the store is searched
 * for them, and types without objects are left out.
 */
export async function readRequestedSet(
  { objectSet, pageToken, since }: SetRequest,
  ontology: Ontology,
  context: ServiceContext,
  services: ServiceParts,
): Promise<RequestedSet> {
  const { query: limits } = services.limits
  const storedSet = await loadStoredSets(objectSet, ontology, services)
  const ids = listedIds(objectSet, storedSet)
  if (ids === undefined) {
    const parts = parseObjectSet(objectSet, { ontology, limits, storedSet })
    return { parts: parts.every(isEmptyPart) ? parts.slice(0, 1) : parts, listedTypes: undefined }
  }
  const token = since ?? pageToken
  const resumed = token == null ? undefined : services.walkTokens.listedTypesOf(token)
  const listed =
    decodeListedTypes(resumed, ontology) ?? (await findListed(ids, ontology, context, services))
  const types = new Set(listed.map(({ objectType }) => objectType))
  const isListed = (objectType: ObjectType) => types.has(objectType)
  const parsed = parseObjectSet(objectSet, { ontology, limits, storedSet, isListed })
  const parts = keepOne(
    parsed,
    parsed.filter((part) => !isEmptyPart(part)),
  )
  const kept =
    resumed === undefined && since === undefined
      ? await nonEmptyParts(parts, context, services)
      : parts.filter((part) => !listed.some((type) => isLeftOut(type, part)))
  const keptTypes = new Set(kept.map(({ objectType }) => objectType))
  const leftOut = parts.filter(({ objectType }) => !keptTypes.has(objectType))
  const listedTypes = listed.map(({ objectType }) => ({
    objectType,
    isLeftOut: leftOut.some((part) => part.objectType === objectType),
  }))
  return { parts: keepOne(parts, kept), listedTypes: encodeListedTypes(listedTypes, ontology) }
}

/** Refuses an invalid object set, without a search for the objects that it lists. */
export async function checkObjectSet(
  objectSet: unknown,
  ontology: Ontology,
  services: ServiceParts,
): Promise<void> {
  const storedSet = await loadStoredSets(objectSet, ontology, services)
  const { query: limits } = services.limits
  parseObjectSet(objectSet, { ontology, limits, storedSet, isListed: () => false })
}

/** Returns the only part of an object set. */
export async function readSingleTypeSet(
  request: SetRequest,
  ontology: Ontology,
  context: ServiceContext,
  services: ServiceParts,
): Promise<{ readonly part: SetPart; readonly listedTypes: RequestedSet['listedTypes'] }> {
  const { parts, listedTypes } = await readRequestedSet(request, ontology, context, services)
  const [part, ...more] = parts
  if (part !== undefined && more.length === 0) return { part, listedTypes }
  throw new ObjectQueryError('IncompatibleNestedObjectSet', {
    parameter: 'objectSet',
    objectTypes: parts.map(({ objectType }) => objectType.apiName),
    reason: 'the set has objects of several types, or none; this endpoint requires one type',
  })
}

function loadStoredSets(objectSet: unknown, ontology: Ontology, services: ServiceParts) {
  return loadReferences(objectSet, services.limits.query.maxTerms, async (rid) => {
    await nextTurn()
    return findTemporarySet(rid, ontology, services)
  })
}

async function findListed(
  ids: readonly string[],
  { objectTypes }: Ontology,
  context: ServiceContext,
  { objects }: ServiceParts,
): Promise<ListedType[]> {
  if (ids.length === 0) return []
  const byRid = new Map([...objectTypes.values()].map((type) => [type.rid, type]))
  // Types whose listed objects are all hidden do not count.
  const mayHide = [...byRid.values()].some(isPartlyHidden)
  const maxTypes = mayHide ? byRid.size : SET_PAGE_MAX_TYPES + 1
  const rids = await objects.findTypes({ ids, typeRids: [...byRid.keys()], maxTypes }, context)
  const listed: ListedType[] = []
  for (const objectType of rids.flatMap((rid) => byRid.get(rid) ?? [])) {
    const part = { objectType, query: { kind: 'objectIds', ids } as const }
    if (isPartlyHidden(objectType) && !(await hasObjects(part, context, objects))) continue
    listed.push({ objectType, isLeftOut: false })
  }
  if (listed.length > SET_PAGE_MAX_TYPES) {
    throw new ObjectQueryError('UnsupportedObjectSet', {
      reason: `lists objects of more than ${SET_PAGE_MAX_TYPES} object types`,
    })
  }
  return listed
}

async function hasObjects(
  { objectType, query }: Pick<SetPart, 'objectType' | 'query'>,
  context: ServiceContext,
  objects: ServiceParts['objects'],
): Promise<boolean> {
  const probe = probeRequest(objectType, query, { includeTotalCount: false })
  // SQLite answers without waiting, and a set can have thousands of types.
  await nextTurn()
  const page = await objects.readPage({ ...probe, matchEstimate: 1 }, context)
  if (page === 'reclaimed') return false
  page.release()
  return page.count > 0
}

function isEmptyPart({ query }: SetPart): boolean {
  return isNothing(query)
}

function isLeftOut({ objectType, isLeftOut }: ListedType, part: SetPart): boolean {
  return isLeftOut && objectType === part.objectType
}

/** An empty set has one type, so that it has an empty page. */
function keepOne(parts: readonly SetPart[], kept: readonly SetPart[]): readonly SetPart[] {
  return kept.length === 0 ? parts.slice(0, 1) : kept
}

/** Leaves out the types without matches, unless objects can match that the set does not list. */
async function nonEmptyParts(
  parts: readonly SetPart[],
  context: ServiceContext,
  { objects, now }: ServiceParts,
): Promise<readonly SetPart[]> {
  const isFiltered = parts.some(({ query }) => query.kind !== 'objectIds')
  if (parts.length < 2 || !isFiltered || !parts.every(({ query }) => namesObjects(query))) {
    return parts
  }
  const nonEmpty: SetPart[] = []
  for (const part of parts) {
    const query = resolveRelativeDates(part.query, now())
    if (await hasObjects({ ...part, query }, context, objects)) nonEmpty.push(part)
  }
  return nonEmpty
}

/** True if a query can only match objects that it names. */
function namesObjects(query: Query): boolean {
  if (query.kind === 'objectIds' || isNothing(query)) return true
  return query.kind === 'and' && query.of.some(namesObjects)
}
