/** Rows for people on a terminal, NDJSON for programs in a pipe. */
export function writeRows(rows: readonly Readonly<Record<string, string>>[]): void {
  const lines = process.stdout.isTTY ? tableLines(rows) : rows.map((row) => JSON.stringify(row))
  for (const line of lines) process.stdout.write(`${line}\n`)
}

function tableLines(rows: readonly Readonly<Record<string, string>>[]): string[] {
  const [first] = rows
  if (first === undefined) return ['nothing to show']
  const columns = Object.keys(first)
  const cells = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => Object.values(row)),
  ]
  const widths = columns.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  )
  return cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
