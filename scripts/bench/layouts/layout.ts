import type { DatabaseSync } from 'node:sqlite'
import type { Revision } from '../../../src/contract/revisions.ts'
import type { CrossingPut } from '../../../src/store/sqlite/threads/crossing-change.ts'

/**
 * A way to keep the records of objects so that walks in key order find them. Whatever it is, the
 * rows of the store stand beside it with their indexes: questions are answered by rows.
 */
export interface Layout {
  readonly name: LayoutName
  /** Whether the rows keep the body as well, or the layout is its only place. */
  readonly rowsKeepBody: boolean
  /** The revisions whose records it can give. */
  readonly revisions: readonly Revision[]
  /** Makes the tables that the rows do not have. */
  create(db: DatabaseSync): void
  /** Writes what a commit puts, in key order, within the transaction of the commit. */
  write(db: DatabaseSync, puts: readonly CrossingPut[], version: number): void
  /** Prepares for reading; `table` is the number of the store's own table. */
  reader(db: DatabaseSync, table: number): PageReader
}

export const LAYOUT_NAMES = ['rows', 'ready', 'clustered', 'segments'] as const
export type LayoutName = (typeof LAYOUT_NAMES)[number]

export interface PageWish {
  readonly revision: Revision
  /** Undefined for the current objects. */
  readonly version: number | undefined
  /** The stored key after which the page starts. */
  readonly after: string
  readonly objects: number
}

/** Gives the records, commas between them, in as many pieces as it takes. */
export type PageReader = (wish: PageWish) => readonly Uint8Array[]
