/** The `valid_to` of a current row: larger than any version, and exact as a double. */
export const OPEN = Number.MAX_SAFE_INTEGER

/** The catalogue entry of a table that is still empty. */
export interface NewTable {
  readonly typeId: number
  readonly state: 'loading' | 'rewriting' | 'published'
  readonly firstVersion: number
  readonly loadedAs: number
}
