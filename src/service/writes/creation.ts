/** What the defaults of new objects are made from. */
import type { Caller } from '../../access/caller-rights.ts'
import type { Creation } from '../../ontology/values/read-object.ts'
import type { ServiceParts } from '../service-parts.ts'

export function creationBy(
  { id, userId = id }: Pick<Caller, 'id' | 'userId'>,
  { now, newUuid }: Pick<ServiceParts, 'now' | 'newUuid'>,
): Creation {
  return { userId, nowMs: now(), newUuid }
}
