import { describe, expect, it } from 'vitest'
import { allRows } from '../../test/support/byte-chunks.ts'
import { BlankLines } from './blank-lines.ts'
import { readCsv } from './csv/read-csv.ts'
import { readNdjson } from './json/ndjson.ts'

/** 800 MB, unless the reader stops before. */
const CHUNKS = 800

function fileOf(head: string, line: string) {
  const chunk = Buffer.from(line.repeat(Math.floor((1024 * 1024) / line.length)))
  const file = { chunks: 0, stream: chunks() }
  async function* chunks() {
    yield Buffer.from(head)
    for (; file.chunks < CHUNKS; file.chunks += 1) yield chunk
  }
  return file
}

describe('blank lines', () => {
  it.each([
    ['csv', 'a,b\n1,2\n', '\n'],
    ['csv', 'a,b\n1,2\n', ' \r\n'],
    ['csv', 'a,b\n1,2\n', ',\n'],
    ['csv', '', '\n'],
    ['ndjson', '{"a":1}\n', '\n'],
    ['ndjson', '', '\t\n'],
  ] as const)(
    'of hundreds of megabytes end a %s file that starts with %j',
    async (format, head, line) => {
      const file = fileOf(head, line)
      const rows = format === 'csv' ? readCsv(file.stream) : readNdjson(file.stream)
      await expect(allRows(rows)).rejects.toThrow(
        /^line \d+: there are more than 1,000,000 blank lines beside the rows; remove them/,
      )
      expect(file.chunks).toBeLessThan(10)
    },
  )

  it('inside of quotes are part of a record, which is limited', async () => {
    const file = fileOf('a\n"', '\n')
    await expect(allRows(readCsv(file.stream))).rejects.toThrow(
      /^line 2: the record is longer than/,
    )
    expect(file.chunks).toBeLessThan(100)
  })

  it('are allowed beside each row', () => {
    const lines = new BlankLines(2)
    for (let row = 0; row < 5; row += 1) {
      lines.addRow()
      expect(lines.addBlank()).toBeUndefined()
    }
    expect([lines.addBlank(), lines.addBlank()]).toEqual([undefined, undefined])
    expect(lines.addBlank()).toMatch(/^there are more than 2 blank lines/)
  })
})
