/** Temporary object sets: stored definitions that requests refer to by RID until they expire. */
import type { Ontology } from '../../ontology/ontology.ts'
import type { StoredSet } from '../../query/object-set/load-references.ts'
import type { ServiceParts } from '../service-parts.ts'

export const TEMPORARY_SET_RID_PREFIX = 'ri.object-set.main.temporary-object-set.'

/** What is stored. Callers with limited rights find only sets of callers with the same rights. */
export interface TemporarySet extends StoredSet {
  readonly ontologyRid: string
  readonly viewId?: string | undefined
}

/** Returns a temporary set; undefined if it expired or belongs to another ontology. */
export async function findTemporarySet(
  rid: string,
  ontology: Ontology,
  { store, now }: ServiceParts,
): Promise<StoredSet | undefined> {
  if (!rid.startsWith(TEMPORARY_SET_RID_PREFIX)) return undefined
  const id = rid.slice(TEMPORARY_SET_RID_PREFIX.length)
  const document = await store.documents.find('temporaryObjectSet', id, now())
  const found = document?.body as TemporarySet | undefined
  if (found?.ontologyRid !== ontology.rid) return undefined
  // The definition of a set can name what the rights of this caller hide.
  const isVisible = ontology.viewId === undefined || found.viewId === ontology.viewId
  return isVisible ? found : undefined
}
