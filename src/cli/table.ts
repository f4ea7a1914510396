/** Formats rows as a terminal table with aligned columns; cells are cut to fit. */
import stringWidth from 'string-width'

export type TableRow = Readonly<Record<string, unknown>>

export interface TableLayout {
  readonly columns: readonly { readonly name: string; readonly width: number }[]
  /** Columns that did not fit. */
  readonly hidden: readonly string[]
}

const GAP = '  '
/** Keeps one long text from pushing out all other columns. */
const WIDEST_CELL = 40
/** A narrower column would show nothing useful. */
const NARROWEST_CELL = 8

/** Chooses columns and widths from the first rows; later rows are cut to them. */
export function layOutTable(
  rows: readonly TableRow[],
  room: { readonly width: number; readonly widestCell?: number },
): TableLayout {
  const { width: lineWidth, widestCell = WIDEST_CELL } = room
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns: { name: string; width: number }[] = []
  let left = lineWidth
  for (const name of names) {
    const cells = rows.map((row) => stringWidth(cellText(row[name])))
    const wanted = Math.min(widestCell, Math.max(stringWidth(cellText(name)), ...cells))
    const gap = columns.length === 0 ? 0 : GAP.length
    const width = Math.min(wanted, left - gap)
    if (width < Math.min(wanted, NARROWEST_CELL)) break
    columns.push({ name, width })
    left -= gap + width
  }
  return { columns, hidden: names.slice(columns.length) }
}

export function headerLine({ columns }: TableLayout): string {
  return lineOf(columns, cellText)
}

export function rowLine({ columns }: TableLayout, row: TableRow): string {
  return lineOf(columns, (name) => cellText(row[name]))
}

function lineOf(columns: TableLayout['columns'], textOf: (name: string) => string): string {
  return columns
    .map(({ name, width }) => padded(cut(textOf(name), width), width))
    .join(GAP)
    .trimEnd()
}

/** Formats names and values, one pair per line, without cutting. */
export function describePairs(pairs: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(0, ...pairs.map(([name]) => stringWidth(name)))
  return pairs.map(([name, text]) => `${padded(name, width)}${GAP}${text}\n`).join('')
}

/** Formats a value in one line, without characters that control the terminal. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll(UNPRINTABLE, (character) => ESCAPES[character] ?? '\ufffd')
}

/** Control characters, line separators and characters that change the text direction. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const graphemes = new Intl.Segmenter()

/** Cuts a text to a width in columns and marks the cut with an ellipsis. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}
