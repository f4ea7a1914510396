import type { Redefinition } from './redefined-type.ts'

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
