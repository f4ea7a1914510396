/** The state of an object type: its versions, and the table that holds the latest one. */
export interface TypeHead {
  readonly typeId: number
  readonly published: number
  readonly oldest: number
  readonly redefined: Redefinition
  /** The table of the latest version. */
  readonly current: TableHead
}

export interface TableHead {
  readonly table: number
  readonly firstVersion: number
  /** The version that the rows of a replacement carry, from before it was published. */
  readonly loadedAs: number
  readonly liveCount: number
  readonly maxRecordBytes: number
}

/**
 * The last change of a definition that rewrote objects; zeros if there was none. The new objects are
 * in a new table; earlier versions stay in the earlier one, in the form of the earlier definition.
 */
export interface Redefinition {
  /** The first table with the new form. */
  readonly table: number
  /** The generation of the catalogue with the new definition. */
  readonly generation: number
}
