/** Detects the delimiter of a CSV file. */

import { readExportEnd } from '../export-end.ts'
import { isBlank, type SplitLine } from '../lines.ts'
import { isUnreadable } from '../row.ts'
import { beginRecord, readRecordLine } from './csv-cells.ts'

const DELIMITERS = [',', ';', '\t', '|']

/** The size of the sample at the beginning of a file. */
const GUESS_LINES = 50
const GUESS_LENGTH = 1024 * 1024

/** Returns the sample, or undefined if more lines are needed. */
export function linesToGuessFrom(lines: readonly SplitLine[]): readonly SplitLine[] | undefined {
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
export function declaredDelimiter(line: SplitLine | undefined): string | undefined {
  if (line === undefined || isUnreadable(line) || line.number !== 1) return undefined
  return DECLARATION.exec(line.text)?.[1]
}

/** Returns the delimiter with which most records have the column count of the header, if above one. */
export function guessDelimiter(lines: readonly SplitLine[]): string {
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
