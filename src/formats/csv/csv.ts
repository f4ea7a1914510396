import { checkExportEnd, readExportEnd } from '../export-end.ts'
import { type Line, type SplitLine, splitLines, withoutByteOrderMark } from '../lines.ts'
import {
  excerptOf,
  isUnreadable,
  RECORD_MAX_BYTES,
  type ReadRow,
  type RowSource,
  setCell,
  UnreadableFile,
  type UnreadableRow,
} from '../row.ts'
import { beginRecord, type CsvRecord, readRecordLine } from './csv-cells.ts'
import { guessDelimiter, linesToGuessFrom } from './csv-delimiter.ts'

/** CSV with a header; the delimiter is guessed where none is given. */

export interface CsvOptions {
  readonly delimiter?: string | undefined
}

export function readCsv(stream: AsyncIterable<Buffer>, options: CsvOptions = {}): RowSource {
  return { kind: 'text', rows: readRecords(stream, options.delimiter) }
}

async function* readRecords(
  stream: AsyncIterable<Buffer>,
  givenDelimiter: string | undefined,
): AsyncGenerator<readonly ReadRow[]> {
  let records = givenDelimiter === undefined ? undefined : new CsvRecords(givenDelimiter)
  let waiting: SplitLine[] = []
  for await (const lines of splitLines(stream, RECORD_MAX_BYTES)) {
    if (records === undefined) {
      waiting = waiting.concat(lines)
      const guessable = linesToGuessFrom(waiting)
      if (guessable === undefined) continue
      records = new CsvRecords(guessDelimiter(guessable))
    } else waiting = [...lines]
    const rows = records.take(waiting)
    waiting = []
    if (rows.length > 0) yield rows
  }
  records ??= new CsvRecords(guessDelimiter(waiting))
  const rows = records.take(waiting)
  if (rows.length > 0) yield rows
  records.end()
}

class CsvRecords {
  readonly #delimiter: string
  #header: readonly string[] | undefined
  /** A record whose last line is still to come. */
  #begun: CsvRecord | undefined
  #begunLength = 0
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
      this.#count += 1
    }
    return rows
  }

  end(): void {
    if (this.#begun !== undefined) {
      throw new UnreadableFile(`line ${this.#begun.line}: a quote that opens here is never closed`)
    }
    if (this.#header === undefined) throw new UnreadableFile('there is no header line')
  }

  #takeLine(line: Line): ReadRow | undefined {
    const text = withoutByteOrderMark(line)
    if (this.#begun === undefined) {
      if (this.#isBlank(text)) return undefined
      this.#refuseAfterEnd(line)
      const end = readExportEnd('csv', text)
      if (end !== undefined) {
        checkExportEnd(line.number, end, this.#count)
        this.#ended = true
        return undefined
      }
    }
    const record = this.#begun ?? beginRecord(line.number, text)
    if (!readRecordLine(record, text, this.#delimiter)) {
      this.#keepOpen(record, text)
      return undefined
    }
    this.#begun = undefined
    return this.#finish(record)
  }

  #keepOpen(record: CsvRecord, text: string): void {
    this.#begunLength = this.#begun === undefined ? text.length : this.#begunLength + text.length
    this.#begun = record
    if (this.#begunLength <= RECORD_MAX_BYTES) return
    throw new UnreadableFile(
      `line ${record.line}: a record longer than ${RECORD_MAX_BYTES} bytes; ` +
        'perhaps a quote that opens here is never closed',
    )
  }

  #finish(record: CsvRecord): ReadRow | undefined {
    const { line, cells } = record
    if (this.#header === undefined) {
      this.#header = readHeader(record)
      return undefined
    }
    const columns = this.#header.length
    const problem =
      record.problem ??
      (cells.length === columns
        ? undefined
        : `has ${cells.length} column${cells.length === 1 ? '' : 's'}, the header has ${columns}`)
    if (problem !== undefined) return { line, reason: problem, excerpt: excerptOf(record.start) }
    // Spreadsheets write their empty rows as delimiters.
    if (columns > 1 && cells.every((cell) => cell === undefined)) return undefined
    const named: Record<string, string | undefined> = {}
    for (let index = 0; index < columns; index += 1) {
      setCell(named, this.#header[index] as string, cells[index])
    }
    return { line, cells: named }
  }

  /** A line that cannot be read at all. */
  #refuse(row: UnreadableRow): ReadRow {
    if (this.#header === undefined) {
      throw new UnreadableFile(`line ${row.line}: the header ${row.reason}`)
    }
    if (this.#begun !== undefined) {
      throw new UnreadableFile(
        `line ${row.line}: ${row.reason}, in the record that starts at line ${this.#begun.line}`,
      )
    }
    this.#refuseAfterEnd({ number: row.line })
    return row
  }

  #refuseAfterEnd({ number }: { readonly number: number }): void {
    if (!this.#ended) return
    throw new UnreadableFile(`line ${number}: more follows after the end of the export`)
  }

  /** A line without a character in it; tabs can be a record of missing values. */
  #isBlank(text: string): boolean {
    if (text.charCodeAt(0) > 0x20) return false
    return text.trim() === '' && !text.includes(this.#delimiter)
  }
}

function readHeader({ line, cells, problem }: CsvRecord): readonly string[] {
  if (problem !== undefined) throw new UnreadableFile(`line ${line}: the header ${problem}`)
  const names = new Set<string>()
  for (const [index, name = ''] of cells.entries()) {
    if (name.trim() === '') {
      throw new UnreadableFile(`line ${line}: column ${index + 1} of the header has no name`)
    }
    if (name.includes('\r')) {
      throw new UnreadableFile(
        `line ${line}: the header holds a carriage return; lines must end with LF or CRLF`,
      )
    }
    if (names.has(name)) throw new UnreadableFile(`line ${line}: the header names ${name} twice`)
    names.add(name)
  }
  return [...names]
}
