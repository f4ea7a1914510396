/** Finds a text in the rows that were read. The browser's own search sees rendered rows only. */
import type { ObjectRecord } from '../api/ontology.ts'
import type { TableRows } from '../queries/table-rows.ts'
import type { Column } from './columns.ts'

export interface FoundCell {
  readonly row: number
  readonly column: number
}

/** Returns the column whose value contains the text; -1 if none does. */
function columnWith(record: ObjectRecord, columns: readonly Column[], wanted: string): number {
  return columns.findIndex(({ name }) => {
    const value = record.properties[name]
    if (value === undefined || value === null) return false
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return text.toLowerCase().includes(wanted)
  })
}

/**
 * Finds the next row after (or before) a row. Each page is parsed for itself and dropped, and other
 * work can run in between.
 */
export async function findInRows(
  { pages, rowCount }: Pick<TableRows, 'pages' | 'rowCount'>,
  columns: readonly Column[],
  options: { readonly text: string; readonly from: number; readonly isBackward: boolean },
): Promise<FoundCell | undefined> {
  const wanted = normalise(options.text)
  if (wanted === '') return undefined
  const order = options.isBackward ? pages.toReversed() : pages
  // The rows behind the start first, then the others: a search goes round.
  for (const isWrapped of [false, true]) {
    for (const page of order) {
      const rows = page.records().map((record, at) => ({ record, row: page.firstRow + at }))
      for (const { record, row } of options.isBackward ? rows.toReversed() : rows) {
        const isAhead = options.isBackward ? row < options.from : row > options.from
        if (isAhead === isWrapped || row >= rowCount) continue
        const column = columnWith(record, columns, wanted)
        if (column >= 0) return { row, column }
      }
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  return undefined
}

/** Numbers are shown with separators that values do not have. */
function normalise(text: string): string {
  const trimmed = text.trim().toLowerCase()
  return /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed
}
