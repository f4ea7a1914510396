/**
 * What columns are built from: the row versions of object tables, as both databases deliver them, and
 * the records of the files in which columns are kept.
 *
 * A feed has a connection of its own and can be used beside the store, in another process. It reads
 * each portion in a transaction of its own. Portions of one version fit together, because a row
 * version never changes and stays until its versions are reclaimed: rows of a version are complete as
 * long as `FeedHead.oldest` is not beyond it once they were read.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { FieldValue } from '../segment/build-column.ts'
import type { ColumnSpec } from '../segment/column.ts'

export interface ColumnFeed extends AsyncDisposable {
  /** Returns the states of object types, as of one moment; undefined for an unknown type. */
  readHeads(rids: readonly string[]): Promise<readonly (FeedHead | undefined)[]>
  /** Returns the definition of a type, with everything that policies may hide. */
  readObjectType(rid: string): Promise<ObjectType | undefined>
  /**
   * Returns the rows that are visible at a version, in portions: by key, in the order of its UTF-8
   * bytes. The version must be published, and not be older than the table.
   */
  readObjects(source: FeedTable, version: number): AsyncIterable<readonly FeedRow[]>
  /**
   * Returns what the commits after `since` up to `until` have changed: every row version that they
   * added, also if it was closed again, and every one that they closed. Both versions must be
   * published, and not be older than the table. `tooMany`: more than `maxRows` were added or closed.
   */
  readChanges(
    source: FeedTable,
    since: number,
    until: number,
    maxRows: number,
  ): Promise<RowChanges | TooMany>
  /** Returns what shows whether others write much: all row versions, and whether a table is loaded. */
  readWrites(): Promise<{ readonly rows: number; readonly isLoading: boolean }>
  readSegments(): Promise<readonly ColumnSegmentRecord[]>
  /** Adds the record of a file, and removes those of tables that are gone. */
  addSegment(record: ColumnSegmentRecord): Promise<void>
  removeSegments(names: readonly string[]): Promise<void>
}

/** The state of an object type. */
export interface FeedHead {
  readonly typeId: number
  /** The generation of the catalogue in which the definition of the type last changed. */
  readonly generation: number
  /** The newest version. */
  readonly published: number
  /** The oldest version that can be read. */
  readonly oldest: number
  /** The table of the newest version. */
  readonly table: number
  /** The first version that is read from the table. */
  readonly firstVersion: number
  /** The version of the rows of a load. */
  readonly loadedAs: number
  readonly liveCount: number
  /** False for a table without rows, which is not created until its first one. */
  readonly isCreated: boolean
}

/** A table, and the fields that are read from it. */
export interface FeedTable {
  readonly typeId: number
  readonly table: number
  readonly specs: readonly ColumnSpec[]
}

/** A row version. */
export interface FeedRow {
  /** The primary key, as text. */
  readonly key: string
  /** The commit that added the row version; of a loaded one, a version before those of the table. */
  readonly validFrom: number
  /** In the order of `FeedTable.specs`. */
  readonly values: readonly FieldValue[]
}

export interface ClosedRow {
  readonly key: string
  readonly validFrom: number
  /** The commit that closed the row version. */
  readonly validTo: number
}

export interface RowChanges {
  readonly added: readonly FeedRow[]
  readonly closed: readonly ClosedRow[]
}

export type TooMany = 'tooMany'

/** The record of a file with the columns of a table, as of a version. */
export interface ColumnSegmentRecord {
  /** The random name of the file. */
  readonly name: string
  readonly typeRid: string
  readonly table: number
  /** That of the definition, see `FeedHead`. */
  readonly generation: number
  readonly version: number
}
