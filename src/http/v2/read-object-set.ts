/** Reads the object set of a request, with the temporary sets that it refers to. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { RecordShape } from '../../contract/object-record.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { isNothing } from '../../query/combine-queries.ts'
import { loadReferences } from '../../query/object-set/load-references.ts'
import { parseObjectSet, type SetPart } from '../../query/object-set/parse-object-set.ts'
import type { Query } from '../../query/query.ts'
import type { RequestScope } from '../request/admission.ts'
import type { Services } from '../services.ts'
import { findTemporarySet } from './temporary-set.ts'

/** Returns the parts of an object set: the object types of its objects, each with a query. */
export async function readObjectSet(
  json: unknown,
  ontology: Ontology,
  services: Services,
): Promise<readonly SetPart[]> {
  const storedSet = await loadReferences(json, (rid) => findTemporarySet(rid, ontology, services))
  return parseObjectSet(json, {
    ontology,
    limits: services.limits.query,
    storedSet,
    entityTypes: () => undefined,
  })
}

/**
 * Returns the only part of an object set. A static set names objects, not their type: the type is
 * the one that has them.
 */
export async function readSingleTypeSet(
  json: unknown,
  ontology: Ontology,
  context: RequestScope,
  services: Services,
): Promise<SetPart> {
  const parts = await readObjectSet(json, ontology, services)
  const [first, ...others] = parts
  if (first !== undefined && others.length === 0) return first
  const candidates = parts.every(({ query }) => namesObjects(query))
    ? await nonEmptyParts(parts, context, services)
    : parts
  if (first !== undefined && candidates.length === 0) return first
  const [only, ...more] = candidates
  if (only !== undefined && more.length === 0) return only
  throw new ObjectQueryError('IncompatibleNestedObjectSet', {
    parameter: 'objectSet',
    objectTypes: candidates.map(({ objectType }) => objectType.apiName),
  })
}

/** True if a query can only match objects that it names. */
function namesObjects(query: Query): boolean {
  if (query.kind === 'objectIds' || isNothing(query)) return true
  return query.kind === 'and' && query.of.some(namesObjects)
}

const PROBE: RecordShape = [{ column: 'key' }]

async function nonEmptyParts(
  parts: readonly SetPart[],
  context: RequestScope,
  { store }: Services,
): Promise<SetPart[]> {
  const nonEmpty: SetPart[] = []
  for (const part of parts) {
    const page = await store.readPage(
      {
        objectType: part.objectType,
        query: part.query,
        order: [],
        record: { shape: PROBE, selection: undefined },
        after: undefined,
        version: undefined,
        maxObjects: 1,
        maxBytes: 1,
        includeTotalCount: false,
        matchEstimate: 1,
      },
      context,
    )
    if (page === 'reclaimed') continue
    page.release()
    if (page.count > 0) nonEmpty.push(part)
  }
  return nonEmpty
}
