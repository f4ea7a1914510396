/** Tables in Markdown, padded so that they also read well in a terminal. */

/** Rows of cells; the first row is the header, and the first column is a name. */
export type Table = readonly (readonly string[])[]

export function toMarkdown([header = [], ...rows]: Table): string {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0), 3),
  )
  const line = (cells: readonly string[]) => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? ''
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, column) => (column === 0 ? '---' : `${'-'.repeat(width - 1)}:`))
  return [line(header), line(rule), ...rows.map(line)].join('\n')
}

/** Formats a number with thousands separators. */
export function count(number: number, digits = 0): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return number.toLocaleString('en', options)
}
