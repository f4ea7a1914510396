/** Temporary object sets: stored definitions that requests refer to by RID until they expire. */
import type { Ontology } from '../../ontology/ontology.ts'
import type { Services } from '../services.ts'

export const TEMPORARY_SET_RID_PREFIX = 'ri.object-set.main.temporary-object-set.'

/** What is stored: sets are visible to every caller who can see their ontology. */
export interface TemporarySet {
  readonly ontologyRid: string
  readonly objectSet: unknown
}

/** Returns the JSON of a temporary set; undefined if it expired or belongs to another ontology. */
export async function findTemporarySet(
  rid: string,
  ontology: Ontology,
  { store, now }: Services,
): Promise<unknown> {
  if (!rid.startsWith(TEMPORARY_SET_RID_PREFIX)) return undefined
  const id = rid.slice(TEMPORARY_SET_RID_PREFIX.length)
  const document = await store.documents.find('temporaryObjectSet', id, now())
  const { ontologyRid, objectSet } = (document?.body ?? {}) as Partial<TemporarySet>
  return ontologyRid === ontology.rid ? objectSet : undefined
}
