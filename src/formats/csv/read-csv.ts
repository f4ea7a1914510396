/** Reads CSV files with a header. The delimiter is detected unless it is given. */
import { countOf } from '../../contract/count-of.ts'
import { BlankLines } from '../blank-lines.ts'
import { checkExportEnd, readExportEnd } from '../export-end.ts'
import { isBlank, type Line, type SplitLine, splitLines, withoutByteOrderMark } from '../lines.ts'
import {
  excerptOf,
  isSameList,
  isUnreadable,
  RECORD_MAX_BYTES,
  type ReadRow,
  type RowSource,
  setCell,
  TableRow,
  UnreadableFile,
  type UnreadableRow,
} from '../row.ts'
import { beginRecord, type CsvRecord, readRecordLine } from './csv-record.ts'

export interface CsvOptions {
  readonly delimiter?: string | undefined
}

export function readCsv(stream: AsyncIterable<Uint8Array>, options: CsvOptions = {}): RowSource {
  return { kind: 'text', rows: readRecords(stream, options.delimiter) }
}

async function* readRecords(
  stream: AsyncIterable<Uint8Array>,
  givenDelimiter: string | undefined,
): AsyncGenerator<readonly ReadRow[]> {
  let records = givenDelimiter === undefined ? undefined : new CsvRecords(givenDelimiter)
  let pending: SplitLine[] = []
  for await (const lines of splitLines(stream, RECORD_MAX_BYTES)) {
    if (records === undefined) {
      pending = pending.concat(lines)
      const sample = linesToGuessFrom(pending)
      if (sample === undefined) continue
      records = new CsvRecords(guessDelimiter(sample))
    } else pending = [...lines]
    const rows = records.take(pending)
    pending = []
    if (rows.length > 0) yield rows
  }
  records ??= new CsvRecords(guessDelimiter(pending))
  const rows = records.take(pending)
  if (rows.length > 0) yield rows
  records.end()
}

class CsvRecords {
  readonly #delimiter: string
  #header: readonly string[] | undefined
  /** The columns that the header does not name. */
  #unnamed: ReadonlySet<number> = new Set()
  /** Whether each row has all columns, in the order of the header. */
  #isPlain = false
  /** A record that continues on the next line. */
  #openRecord: CsvRecord | undefined
  #openLength = 0
  readonly #blankLines = new BlankLines()
  #count = 0
  #ended = false

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  take(lines: readonly SplitLine[]): ReadRow[] {
    const rows: ReadRow[] = []
    for (const line of lines) {
      const row = isUnreadable(line) ? this.#refuse(line) : this.#takeLine(line)
      if (row === undefined) continue
      rows.push(row)
      this.#blankLines.addRow()
      this.#count += 1
    }
    return rows
  }

  end(): void {
    if (this.#openRecord !== undefined) {
      throw new UnreadableFile(
        `line ${this.#openRecord.line}: the quote that opens here is never closed`,
      )
    }
    if (this.#header === undefined) throw new UnreadableFile('the file has no header line')
  }

  #takeLine(line: Line): ReadRow | undefined {
    const text = withoutByteOrderMark(line)
    if (this.#openRecord === undefined) {
      if (this.#isBlank(text)) return this.#skipBlank(line.number)
      if (declaredDelimiter(line) !== undefined) return undefined
      this.#refuseAfterEnd(line)
      const end = readExportEnd('csv', text)
      if (end !== undefined) {
        checkExportEnd(line.number, end, this.#count)
        this.#ended = true
        return undefined
      }
    }
    const record = this.#openRecord ?? beginRecord(line.number, text)
    if (!readRecordLine(record, text, this.#delimiter)) {
      this.#keepOpen(record, text)
      return undefined
    }
    this.#openRecord = undefined
    return this.#finish(record)
  }

  #keepOpen(record: CsvRecord, text: string): void {
    // With the line feed: a blank line inside of quotes is part of the record, too.
    const length = text.length + 1
    this.#openLength = this.#openRecord === undefined ? length : this.#openLength + length
    this.#openRecord = record
    if (this.#openLength <= RECORD_MAX_BYTES) return
    throw new UnreadableFile(
      `line ${record.line}: the record is longer than ${RECORD_MAX_BYTES} bytes; ` +
        'check for a quote that is never closed',
    )
  }

  #finish(record: CsvRecord): ReadRow | undefined {
    const { line, cells } = record
    if (this.#header === undefined) {
      this.#header = readHeader(record)
      this.#unnamed = unnamedColumns(record)
      // The keys of an object are not in their order if some are whole numbers.
      const keys = Object.keys(Object.fromEntries(this.#header.map((name) => [name, 0])))
      this.#isPlain = this.#unnamed.size === 0 && isSameList(keys, this.#header)
      return undefined
    }
    const columns = this.#header.length
    const problem =
      record.problem ??
      (cells.length === columns || isEmptyAfter(cells, columns)
        ? undefined
        : `has ${countOf(cells.length, 'column')}, the header has ${columns}`)
    if (problem !== undefined) return { line, reason: problem, excerpt: excerptOf(record.start) }
    // Spreadsheets write empty rows as delimiters only.
    if (columns > 1 && cells.every((cell) => cell === undefined)) return this.#skipBlank(line)
    if (this.#isPlain) return new TableRow(line, { columns: this.#header, values: cells })
    const named: Record<string, string | undefined> = {}
    for (let index = 0; index < columns; index += 1) {
      // Spreadsheets write empty columns without a name after the last one.
      if (cells[index] === undefined && this.#unnamed.has(index)) continue
      setCell(named, this.#header[index] as string, cells[index])
    }
    return { line, cells: named }
  }

  /** Passes on an unreadable line, or throws if the rest of the file depends on it. */
  #refuse(row: UnreadableRow): ReadRow {
    if (this.#header === undefined) {
      throw new UnreadableFile(`line ${row.line}: the header ${row.reason}`, {
        remedy: row.remedy,
      })
    }
    if (this.#openRecord !== undefined) {
      throw new UnreadableFile(
        `line ${row.line}: ${row.reason}, in the record that starts at line ${this.#openRecord.line}`,
        { remedy: row.remedy },
      )
    }
    this.#refuseAfterEnd({ number: row.line })
    return row
  }

  #refuseAfterEnd({ number }: { readonly number: number }): void {
    if (!this.#ended) return
    throw new UnreadableFile(`line ${number}: there is data after the end of the export`)
  }

  #skipBlank(line: number): undefined {
    const problem = this.#blankLines.addBlank()
    if (problem !== undefined) throw new UnreadableFile(`line ${line}: ${problem}`)
  }

  /** A blank line, unless it contains the delimiter: tabs can be a record of missing values. */
  #isBlank(text: string): boolean {
    if (text.charCodeAt(0) > 0x20) return false
    return text.trim() === '' && !text.includes(this.#delimiter)
  }
}

/** Returns the names of the columns; repeated and missing names get a number. */
function readHeader({ line, cells, problem }: CsvRecord): readonly string[] {
  if (problem !== undefined) throw new UnreadableFile(`line ${line}: the header ${problem}`)
  if (cells.every(isUnnamed)) throw new UnreadableFile(`line ${line}: the header has no names`)
  const given = new Set(cells)
  const names = new Set<string>()
  for (const [index, cell = ''] of cells.entries()) {
    const name = isUnnamed(cell) ? `column ${index + 1}` : cell
    if (name.includes('\r')) {
      throw new UnreadableFile(
        `line ${line}: the header contains a carriage return; lines must end with LF or CRLF`,
      )
    }
    const isTaken = (free: string) => names.has(free) || (free !== cell && given.has(free))
    let free = name
    for (let number = 2; isTaken(free); number += 1) free = `${name} ${number}`
    names.add(free)
  }
  return [...names].map(asPropertyKey)
}

/** Returns the same text in the form in which V8 keeps keys, so that no row looks it up again. */
function asPropertyKey(name: string): string {
  return Object.keys({ [name]: 0 })[0] ?? name
}

function unnamedColumns({ cells }: CsvRecord): ReadonlySet<number> {
  return new Set([...cells.keys()].filter((index) => isUnnamed(cells[index])))
}

function isUnnamed(name: string | undefined): boolean {
  return name === undefined || name.trim() === ''
}

/** Returns whether a record has only empty cells beyond the columns of the header. */
function isEmptyAfter(cells: CsvRecord['cells'], columns: number): boolean {
  return cells.length > columns && cells.slice(columns).every((cell) => cell === undefined)
}

const DELIMITERS = [',', ';', '\t', '|']

/** The size of the sample at the beginning of a file. */
const GUESS_LINES = 50
const GUESS_LENGTH = 1024 * 1024

/** Returns the sample, or undefined if more lines are needed. */
function linesToGuessFrom(lines: readonly SplitLine[]): readonly SplitLine[] | undefined {
  // The sample does not depend on how the file is split into chunks.
  let length = 0
  for (const [index, line] of lines.entries()) {
    length += isUnreadable(line) ? 0 : line.text.length
    if (index + 1 === GUESS_LINES || length > GUESS_LENGTH) return lines.slice(0, index + 1)
  }
  return undefined
}

/** Excel reads the delimiter from a first line such as `sep=;`, and some programs write it. */
const DECLARATION = /^\ufeff?sep=(.)\r?$/i

/** Returns the delimiter that the first line of a file declares. */
function declaredDelimiter(line: SplitLine | undefined): string | undefined {
  if (line === undefined || isUnreadable(line) || line.number !== 1) return undefined
  return DECLARATION.exec(line.text)?.[1]
}

/** Returns the delimiter with which most records have the column count of the header, if above one. */
function guessDelimiter(lines: readonly SplitLine[]): string {
  const declared = declaredDelimiter(lines[0])
  if (declared !== undefined) return declared
  let best = { delimiter: ',', fitting: 0, columns: 1 }
  for (const delimiter of DELIMITERS) {
    const [columns = 1, ...others] = columnsOfRecords(lines, delimiter)
    if (columns === 1) continue
    const fitting = 1 + others.filter((count) => count === columns).length
    if (fitting > best.fitting || (fitting === best.fitting && columns > best.columns)) {
      best = { delimiter, fitting, columns }
    }
  }
  return best.delimiter
}

/** Returns the column count of each record that ends within the lines. */
function columnsOfRecords(lines: readonly SplitLine[], delimiter: string): number[] {
  const counts: number[] = []
  let record = beginRecord(1, '')
  for (const line of lines) {
    if (isUnreadable(line)) continue
    if (record.open === undefined) {
      if (isBlank(line.text) || readExportEnd('csv', line.text) !== undefined) continue
      record = beginRecord(line.number, '')
    }
    if (readRecordLine(record, line.text, delimiter)) counts.push(record.cells.length)
  }
  return counts
}
