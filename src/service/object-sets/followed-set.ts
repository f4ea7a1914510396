import type { Ontology } from '../../ontology/ontology.ts'
import type { WrittenSelection } from '../../query/parse/selection-v2.ts'
import type { FollowedObjects } from '../pages/changes-token.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { readRequestedSet } from './read-object-set.ts'
import { pageParts, sortParts } from './set-page-parts.ts'

/** The members of a request for the changes of an object set that say which objects it follows. */
interface FollowedSetRequest extends WrittenSelection {
  readonly objectSet: unknown
  readonly since: string
  readonly excludeRid?: boolean | null | undefined
}

/** Reads an object set whose changes are requested. Its records have the names of their types. */
export async function readFollowedSet(
  request: FollowedSetRequest,
  ontology: Ontology,
  context: ServiceContext,
  services: ServiceParts,
): Promise<FollowedObjects> {
  const { objectSet, since, excludeRid } = request
  const read = await readRequestedSet({ objectSet, since }, ontology, context, services)
  const form = { asInterface: false, prefix: '__', excludeRid: excludeRid ?? false } as const
  const parts = pageParts(sortParts(read.parts), request, form, ontology)
  return { ontology, revision: 'v2', parts, listedTypes: read.listedTypes }
}
