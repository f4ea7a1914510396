/** The `valid_to` of a current row: larger than every version, and exact as a double. */
export const OPEN = Number.MAX_SAFE_INTEGER

/** What is known of a table before it holds anything. */
export interface NewTable {
  readonly typeId: number
  readonly state: 'loading' | 'published'
  readonly firstVersion: number
  readonly loadedAs: number
}
