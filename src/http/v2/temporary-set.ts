/** Temporary object sets: stored definitions that requests refer to by RID until they expire. */
import type { Ontology } from '../../ontology/ontology.ts'
import type { StoredSet } from '../../query/object-set/load-references.ts'
import type { Services } from '../services.ts'

export const TEMPORARY_SET_RID_PREFIX = 'ri.object-set.main.temporary-object-set.'

/** What is stored: sets are visible to every caller who can see their ontology. */
export interface TemporarySet extends StoredSet {
  readonly ontologyRid: string
}

/** Returns a temporary set; undefined if it expired or belongs to another ontology. */
export async function findTemporarySet(
  rid: string,
  ontology: Ontology,
  { store, now }: Services,
): Promise<StoredSet | undefined> {
  if (!rid.startsWith(TEMPORARY_SET_RID_PREFIX)) return undefined
  const id = rid.slice(TEMPORARY_SET_RID_PREFIX.length)
  const document = await store.documents.find('temporaryObjectSet', id, now())
  const found = document?.body as TemporarySet | undefined
  return found?.ontologyRid === ontology.rid ? found : undefined
}
