/** Converts the rows of `pageSql`, which are bytes, to the bytes of a page. */
import type { RecordSpec, StoredPage } from '../../object-store.ts'
import { releaserOf } from '../../page-memory.ts'
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
  { separator = ',' }: RecordSpec,
): PageRows {
  const records = joinRecords(rows, Buffer.from(separator))
  const [pk, version] = rows.at(-1) ?? []
  const last = pk ? { pk: pk.toString(), version: readBigint(version) ?? 0 } : undefined
  freeRows(rows)
  return { records, release: releaserOf(records), count: rows.length, last, more }
}

/** Joins records in a buffer that is not pooled, so that its memory can be freed. */
function joinRecords(rows: readonly ByteRow[], separator: Buffer): Buffer {
  let length = Math.max(0, rows.length - 1) * separator.length
  for (const [, , record] of rows) length += record?.length ?? 0
  const joined = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const [index, [, , record]] of rows.entries()) {
    if (index > 0) {
      joined.set(separator, at)
      at += separator.length
    }
    if (record) {
      joined.set(record, at)
      at += record.length
    }
  }
  return joined
}

function readBigint(value: Buffer | null | undefined): number | undefined {
  return value ? Number(value.readBigInt64BE()) : undefined
}
