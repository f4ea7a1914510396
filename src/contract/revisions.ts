/**
 * What differs between the two revisions of the paging behaviour [9]. Everything else is one core.
 */

export type Revision = '1.0' | '2.0'

export interface RevisionRules {
  /** Whether the envelope carries `totalCount`, a 64-bit number and therefore a JSON string. */
  readonly totalCount: boolean
}

/**
 * Both revisions leave `nextPageToken` out on the last page. Revision 1.0 would also allow null
 * [2.1.2], but a published client of it loops for ever on null.
 */
export const REVISIONS: Readonly<Record<Revision, RevisionRules>> = {
  '1.0': { totalCount: true },
  '2.0': { totalCount: false },
}
