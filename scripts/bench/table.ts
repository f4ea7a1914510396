/** A table for people: names on the left, numbers on the right. */
export interface Table {
  /** What stands over the names. */
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
}

export interface TableRow {
  readonly name: string
  readonly cells: readonly string[]
}

const NAME_WIDTH = 62
const CELL_WIDTH = 9

export function toText({ title, columns, rows }: Table): string {
  const lines = [{ name: title, cells: columns }, ...rows]
  const widths = columns.map((_, column) =>
    Math.max(CELL_WIDTH, ...lines.map(({ cells }) => (cells[column]?.length ?? 0) + 2)),
  )
  return lines
    .map(({ name, cells }) => {
      const padded = cells.map((cell, column) => cell.padStart(widths[column] ?? CELL_WIDTH))
      return (name.padEnd(NAME_WIDTH) + padded.join('')).trimEnd()
    })
    .join('\n')
}

export function toMarkdown({ title, columns, rows }: Table): string {
  const lines = [
    [title, ...columns],
    ['---', ...columns.map(() => '--:')],
    ...rows.map(({ name, cells }) => [name, ...cells]),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** A whole number with its thousands apart. */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en')
}
