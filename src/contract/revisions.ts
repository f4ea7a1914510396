/** What differs between the two revisions of the paging behaviour [9], and the v2 surface. */

export type Revision = '1.0' | '2.0' | 'v2'

export interface RevisionRules {
  /** Whether a walk ends at a cross-page limit. Revision 2.0 describes none [9.5], nor does v2. */
  readonly hasRetrievalLimit: boolean
}

/**
 * All omit `nextPageToken` on the last page. Revision 1.0 would also allow null [2.1.2],
 * but a published client loops forever on null.
 */
export const REVISIONS: Readonly<Record<Revision, RevisionRules>> = {
  '1.0': { hasRetrievalLimit: true },
  '2.0': { hasRetrievalLimit: false },
  v2: { hasRetrievalLimit: false },
}
