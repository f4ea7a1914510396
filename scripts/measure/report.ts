/**
 * What a run prints: the current step, tables in Markdown, and marks. Figures are quantiles, because
 * means are useless on a shared machine.
 */
const { stderr } = process

/** Shows the current step: one line on standard error, overwritten in place on a terminal. */
export function showProgress(text: string): void {
  stderr.write(stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
}

/** Prints to standard output, after removing the progress line. */
export function print(text: string): void {
  if (stderr.isTTY) stderr.write('\r\x1b[K')
  console.log(text)
}

/** Rows of cells; the first row is the header, and the first column is a name. */
export type Table = readonly (readonly string[])[]

/** Returns Markdown, padded so that it also reads well in a terminal. */
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

/** A bound on a measured value, wider than the noise of a shared machine. */
export interface Mark {
  readonly name: string
  /** NaN when it could not be measured. */
  readonly value: number
  readonly bound: '≤' | '≥'
  readonly limit: number
  /** True if no noise can affect the value, so that a quick run is judged by it too. */
  readonly isExact?: boolean
}

export function atMost(limit: number, name: string, value: number): Mark {
  return { name, value, bound: '≤', limit }
}

export function atLeast(limit: number, name: string, value: number): Mark {
  return { name, value, bound: '≥', limit }
}

/** Returns a mark that something does not occur. */
export function none(name: string, value: number): Mark {
  return { ...atMost(0, name, value), isExact: true }
}

export function isMissed({ value, bound, limit }: Mark): boolean {
  return bound === '≤' ? value > limit : value < limit
}

export function markTable(marks: readonly Mark[]): Table {
  const rows = marks.map((mark) => {
    const [measured, limit] = [mark.value, mark.limit].map((each) =>
      Number.isNaN(each) ? '-' : Number(each.toPrecision(3)),
    )
    const result = isMissed(mark) ? 'FAIL' : 'pass'
    const shown = Number.isNaN(mark.value) ? 'not measured' : result
    return [mark.name, String(measured), `${mark.bound} ${limit}`, shown]
  })
  return [['Mark', 'measured', 'limit', 'result'], ...rows]
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5)
}

/** Returns the smallest number that is not exceeded by the given share of all numbers. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}
