/** Cells as spreadsheets take them: as a table, and as text with tabs. */
import { isJsonNumber } from '../api/ontology.ts'
import type { TableRows } from '../queries/table-rows.ts'
import { exactText } from '../ui/format-value.ts'
import type { Column } from './columns.ts'

/** A rectangle of cells; both ends are part of it. */
export interface CellRange {
  readonly rows: readonly [first: number, last: number]
  readonly columns: readonly [first: number, last: number]
}

/** More cells would stop the page for longer than a moment. */
const MOST_CELLS = 500_000

interface CopiedCells {
  readonly text: string
  readonly html: string
  /** Says what was copied, and what was not. */
  readonly note: string
}

/** Returns the cells of a range; of rows that were not read, there is nothing to copy. */
export function copyCells(
  range: CellRange,
  rows: Pick<TableRows, 'record'>,
  columns: readonly Column[],
): CopiedCells | string {
  const [first, last] = range.rows
  const shown = columns.slice(range.columns[0], range.columns[1] + 1)
  const rowCount = last - first + 1
  if (rowCount * shown.length > MOST_CELLS) {
    return `Only ${MOST_CELLS.toLocaleString('en')} cells can be copied at once. Export writes all matches.`
  }
  const records = Array.from({ length: rowCount }, (_, index) => rows.record(first + index))
  const read = records.filter((record) => record !== undefined)
  const table = read.map(({ properties }) => shown.map(({ name }) => exactText(properties[name])))
  const missing = rowCount - read.length
  const rest = missing === 0 ? '' : `; ${missing.toLocaleString('en')} rows have not been read`
  return {
    text: table.map((cells) => cells.map(quote).join('\t')).join('\n'),
    html: tableHtml(table, shown),
    note: `${sizeOf(read.length, shown.length)} copied${rest}`,
  }
}

/** Returns the size of a range in words. */
export function sizeOf(rows: number, columns: number): string {
  return `${rows.toLocaleString('en')} × ${columns.toLocaleString('en')} cells`
}

/** Tabs and line breaks inside a cell would begin another one. */
function quote(text: string): string {
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Digits that spreadsheets keep. */
const EXACT_DIGITS = 15
/** Tells Excel that a cell is a text: it would drop zeros and digits of codes and long numbers. */
const AS_TEXT = ` style="mso-number-format:'\\@'"`

function tableHtml(
  table: readonly (readonly string[])[],
  columns: readonly Pick<Column, 'definition'>[],
): string {
  const rows = table.map((cells) => {
    const written = cells.map((text, index) => {
      const isNumber = isJsonNumber(columns[index]?.definition.type)
      const isExact = isNumber && text.replaceAll(/\D/g, '').length <= EXACT_DIGITS
      const escaped = text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
      return `<td${isExact ? '' : AS_TEXT}>${escaped}</td>`
    })
    return `<tr>${written.join('')}</tr>`
  })
  return `<table>${rows.join('')}</table>`
}
