/**
 * The cells of one CSV record.
 *
 * Written here and not taken from a library, because only who reads the cells knows what people
 * must be told: on which line a record starts, which cell was quoted (`""` is an empty text, nothing
 * at all a missing value) and which bytes were not UTF-8. The well-known csv-parse tells the first
 * two through hooks that run for each cell, and then reads 80,000 records of ten columns a second
 * where this reads 500,000. The tests read the same texts with csv-parse and compare.
 */

const QUOTE = '"'

/** A record whose lines are still being read. */
export interface CsvRecord {
  /** The line where it starts. */
  readonly line: number
  /** Its first line, for messages. */
  readonly start: string
  /** `undefined` is a cell with nothing in it, `''` one with an empty text. */
  readonly cells: (string | undefined)[]
  /** What is read of a quoted cell that goes on in the next line. */
  open: string | undefined
  /** Why the record cannot be understood. */
  problem: string | undefined
}

export function beginRecord(line: number, start: string): CsvRecord {
  return { line, start, cells: [], open: undefined, problem: undefined }
}

/** The cells of a record that is there as a whole, with or without the end of its line. */
export function readCsvRecord(text: string, delimiter: string): CsvRecord['cells'] {
  const record = beginRecord(1, text)
  for (const line of text.replace(/\n$/, '').split('\n')) readRecordLine(record, line, delimiter)
  return record.cells
}

/** Reads one more line of a record; false if a quoted cell goes on in the next line. */
export function readRecordLine(record: CsvRecord, line: string, delimiter: string): boolean {
  // A carriage return before the line feed belongs to the end of the record, or to the quoted cell.
  const isCrLf = line.endsWith('\r')
  const text = isCrLf ? line.slice(0, -1) : line
  let at = 0
  while (at !== -1) {
    const isQuoted = record.open !== undefined || text.startsWith(QUOTE, at)
    at = isQuoted ? readQuoted(record, text, at, delimiter) : readPlain(record, text, at, delimiter)
  }
  if (record.open === undefined) return true
  record.open += isCrLf ? '\r\n' : '\n'
  return false
}

/** Returns where the next cell starts, or -1 at the end of the line. */
function readPlain(record: CsvRecord, text: string, at: number, delimiter: string): number {
  const end = text.indexOf(delimiter, at)
  const cell = end === -1 ? text.slice(at) : text.slice(at, end)
  record.cells.push(cell === '' ? undefined : cell)
  return end === -1 ? -1 : end + 1
}

function readQuoted(record: CsvRecord, text: string, at: number, delimiter: string): number {
  let cell = record.open ?? ''
  let start = record.open === undefined ? at + 1 : at
  let end = text.indexOf(QUOTE, start)
  while (end !== -1 && text.startsWith(QUOTE, end + 1)) {
    cell += text.slice(start, end + 1)
    start = end + 2
    end = text.indexOf(QUOTE, start)
  }
  if (end === -1) {
    record.open = cell + text.slice(start)
    return -1
  }
  record.open = undefined
  record.cells.push(cell + text.slice(start, end))
  if (end + 1 === text.length) return -1
  if (text.startsWith(delimiter, end + 1)) return end + 2
  record.problem = `has text after the closing quote of column ${record.cells.length}`
  return -1
}
