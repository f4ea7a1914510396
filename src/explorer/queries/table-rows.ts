/**
 * The rows of a table: those that a walk read from the start and, once the reader went there, those that
 * another walk read from the end. Nobody waits for the rows in between.
 */
import type { ObjectRecord } from '../api/ontology.ts'
import type { Walk } from './walk.ts'

export interface TableRows {
  /** The number of rows that have a place in the table; more than were read if there is a gap. */
  readonly rowCount: number
  readonly readCount: number
  /** The rows between both walks; the end is exclusive. */
  readonly gap: { readonly first: number; readonly end: number } | undefined
  /** True if rows after those that were read from the start are known. */
  readonly hasEnd: boolean
  readonly wasRead: (row: number) => boolean
  /** Returns a row; undefined if it was not read, or has left memory. */
  readonly record: (row: number) => ObjectRecord | undefined
  /** The pages in the order of their rows. */
  readonly pages: readonly RowPage[]
}

interface RowPage {
  readonly firstRow: number
  /** Parses the page, and does not keep what it has parsed. */
  readonly records: () => readonly ObjectRecord[]
}

type Read = Pick<Walk, 'getState' | 'record' | 'recordsOf'>

export function tableRows(start: Read, end: Read | undefined): TableRows {
  const { rowCount: read, isComplete, pages } = start.getState()
  const startPages = pages.map(({ index, firstRow }) => ({
    firstRow,
    records: () => start.recordsOf(index),
  }))
  const total = end?.getState().totalCount ?? 0
  if (end === undefined || isComplete || total <= read || end.getState().rowCount === 0) {
    return {
      rowCount: read,
      readCount: read,
      gap: undefined,
      hasEnd: false,
      wasRead: (row) => row < read,
      record: (row) => start.record(row),
      pages: startPages,
    }
  }
  const { rowCount: readFromEnd, pages: endPages } = end.getState()
  const endFirst = Math.max(read, total - readFromEnd)
  return {
    rowCount: total,
    readCount: read + total - endFirst,
    gap: endFirst > read ? { first: read, end: endFirst } : undefined,
    hasEnd: true,
    wasRead: (row) => row < read || row >= endFirst,
    record: (row) => (row < read ? start.record(row) : end.record(total - 1 - row)),
    pages: [
      ...startPages,
      ...endPages.toReversed().map(({ index, firstRow, count }) => ({
        firstRow: total - firstRow - count,
        records: () => end.recordsOf(index).toReversed(),
      })),
    ],
  }
}
