/** Reads the object set of a request, with the temporary sets that it refers to. */
import { nextTurn } from '../../admission/next-turn.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { isNothing } from '../../query/combine-queries.ts'
import { loadReferences } from '../../query/object-set/load-references.ts'
import { parseObjectSet, type SetPart } from '../../query/object-set/parse-object-set.ts'
import type { Query } from '../../query/query.ts'
import { resolveRelativeDates } from '../../query/relative-dates.ts'
import { probeRequest } from '../page/probe-request.ts'
import type { RequestScope } from '../request/admission.ts'
import type { Services } from '../services.ts'
import { findTemporarySet } from './temporary-set.ts'

/** Returns the parts of an object set: the object types of its objects, each with a query. */
export async function readObjectSet(
  json: unknown,
  ontology: Ontology,
  services: Services,
): Promise<readonly SetPart[]> {
  const limits = services.limits.query
  const storedSet = await loadReferences(json, limits.maxTerms, async (rid) => {
    await nextTurn()
    return findTemporarySet(rid, ontology, services)
  })
  return parseObjectSet(json, { ontology, limits, storedSet })
}

/**
 * Returns the parts of an object set, without those that have no object if the set names its objects:
 * a static set does not say of which type they are.
 */
export async function readNonEmptyParts(
  json: unknown,
  ontology: Ontology,
  context: RequestScope,
  services: Services,
): Promise<readonly SetPart[]> {
  const parts = await readObjectSet(json, ontology, services)
  if (parts.length < 2 || !parts.every(({ query }) => namesObjects(query))) return parts
  const nonEmpty = await nonEmptyParts(parts, context, services)
  return nonEmpty.length === 0 ? parts.slice(0, 1) : nonEmpty
}

/** Returns the only part of an object set. */
export async function readSingleTypeSet(
  json: unknown,
  ontology: Ontology,
  context: RequestScope,
  services: Services,
): Promise<SetPart> {
  const candidates = await readNonEmptyParts(json, ontology, context, services)
  const [only, ...more] = candidates
  if (only !== undefined && more.length === 0) return only
  throw new ObjectQueryError('IncompatibleNestedObjectSet', {
    parameter: 'objectSet',
    objectTypes: candidates.map(({ objectType }) => objectType.apiName),
    reason: 'the set has objects of several types, or none; this endpoint requires one type',
  })
}

/** True if a query can only match objects that it names. */
function namesObjects(query: Query): boolean {
  if (query.kind === 'objectIds' || isNothing(query)) return true
  return query.kind === 'and' && query.of.some(namesObjects)
}

async function nonEmptyParts(
  parts: readonly SetPart[],
  context: RequestScope,
  { store, now }: Services,
): Promise<SetPart[]> {
  const nonEmpty: SetPart[] = []
  for (const part of parts) {
    const query = resolveRelativeDates(part.query, now())
    const probe = probeRequest(part.objectType, query, { includeTotalCount: false })
    // SQLite answers without waiting, and a set can have thousands of types.
    await nextTurn()
    const page = await store.readPage({ ...probe, matchEstimate: 1 }, context)
    if (page === 'reclaimed') continue
    page.release()
    if (page.count > 0) nonEmpty.push(part)
  }
  return nonEmpty
}
