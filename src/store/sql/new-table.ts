/** The catalogue entry of a table that is still empty. */
export interface NewTable {
  readonly typeId: number
  readonly state: 'loading' | 'rewriting' | 'published'
  readonly firstVersion: number
  readonly loadedAs: number
}
