/** Converts the rows of `pageSql`, which are bytes, to the bytes of a page. */
import { joinRecords } from '../../core/pages/merge-parts.ts'
import type { RecordSpec, StoredPage } from '../../object-store.ts'
import { type ByteRow, freeRows } from '../driver/byte-rows.ts'

/** Returns the rows that fit into the page. */
export function fittingRows(rows: readonly ByteRow[], maxObjects: number): readonly ByteRow[] {
  const overflow = rows.findIndex(([, , record]) => record === null)
  return rows.slice(0, Math.min(overflow === -1 ? rows.length : overflow, maxObjects))
}

/** Returns the bytes of all records up to the end of a row, if the statement had a budget. */
export function bytesUpTo(row: ByteRow | undefined): number {
  return readBigint(row?.[3]) ?? 0
}

export type PageRows = Pick<StoredPage, 'records' | 'release' | 'count' | 'last' | 'more'>

/** Copies the records into the page, and frees the memory of the rows. */
export function toPageRows(
  rows: readonly ByteRow[],
  more: boolean,
  { separator }: RecordSpec,
): PageRows {
  const joined = joinRecords(
    rows.flatMap(([, , record]) => record ?? []),
    separator,
  )
  const [pk, version] = rows.at(-1) ?? []
  const last = pk ? { pk: pk.toString(), version: readBigint(version) ?? 0 } : undefined
  freeRows(rows)
  return { ...joined, count: rows.length, last, more }
}

function readBigint(value: Buffer | null | undefined): number | undefined {
  return value ? Number(value.readBigInt64BE()) : undefined
}
