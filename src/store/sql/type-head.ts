/** Where an object type stands: its versions, and the tables that hold them. */
export interface TypeHead {
  readonly typeId: number
  readonly published: number
  readonly oldest: number
  /** The table of the newest version. */
  readonly current: TableHead
}

export interface TableHead {
  readonly table: number
  readonly firstVersion: number
  readonly loadedAs: number
  readonly liveCount: number
  readonly maxRecordBytes: number
}
