/** Reads newline-delimited JSON: one object per line. */

import { BlankLines } from '../blank-lines.ts'
import { checkExportEnd, readExportEnd } from '../export-end.ts'
import { isBlank, splitLines, withoutByteOrderMark } from '../lines.ts'
import {
  isUnreadable,
  RECORD_MAX_BYTES,
  type ReadRow,
  type RowSource,
  UnreadableFile,
} from '../row.ts'
import { readRecord } from './geojson.ts'

export function readNdjson(stream: AsyncIterable<Uint8Array>): RowSource {
  return { kind: 'json', rows: readObjects(stream) }
}

async function* readObjects(stream: AsyncIterable<Uint8Array>): AsyncGenerator<readonly ReadRow[]> {
  const blankLines = new BlankLines()
  let count = 0
  for await (const lines of splitLines(stream, RECORD_MAX_BYTES)) {
    const rows: ReadRow[] = []
    for (const line of lines) {
      if (isUnreadable(line)) rows.push(line)
      else {
        const text = withoutByteOrderMark(line)
        if (isBlank(text)) {
          const problem = blankLines.addBlank()
          if (problem !== undefined) throw new UnreadableFile(`line ${line.number}: ${problem}`)
          continue
        }
        blankLines.addRow()
        const end = readExportEnd('ndjson', text)
        if (end === undefined) rows.push(readRecord(line.number, text))
        else {
          // Exports can be concatenated: each end line counts the objects since the previous one.
          checkExportEnd(line.number, end, count + rows.length)
          count = -rows.length
        }
      }
    }
    count += rows.length
    if (rows.length > 0) yield rows
  }
}
