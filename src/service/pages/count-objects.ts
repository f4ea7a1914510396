import type { ObjectType } from '../../ontology/ontology.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { probeRequest } from './probe-request.ts'

/** Returns the number of current objects of a type that the caller may see. */
export async function countObjectsOf(
  objectType: ObjectType,
  context: ServiceContext,
  { objects }: ServiceParts,
): Promise<number> {
  const probe = probeRequest(objectType, EVERYTHING, { includeTotalCount: true })
  const page = await objects.readPage(probe, context)
  // No version is requested, so the latest is read, which is never reclaimed.
  if (page === 'reclaimed') return 0
  page.release()
  return page.totalCount ?? 0
}
