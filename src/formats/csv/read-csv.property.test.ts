import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentOf, cutsArbitrary, inChunks } from '../../../test/support/byte-chunks.ts'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { readCsvRecord } from './csv-record.ts'
import { readCsv } from './read-csv.ts'
import { csvLine } from './write-csv.ts'

const oddText = fc.string({
  unit: fc.constantFrom('a', 'é', '\u{1f600}', ' ', '\t', '"', ',', ';', '|', '\n', '\r', '#'),
  maxLength: 8,
})

/** Tables of two or more columns; the first is the key and never missing. */
const tables = fc.integer({ min: 2, max: 4 }).chain((columns) =>
  fc.array(
    fc
      .tuple(
        oddText,
        fc.array(fc.option(oddText, { nil: undefined }), {
          minLength: columns - 1,
          maxLength: columns - 1,
        }),
      )
      .map(([first, others]) => [first, ...others]),
    { minLength: 1, maxLength: 8 },
  ),
)

function header(columns: number): string[] {
  return Array.from({ length: columns }, (_, index) => `column ${index}`)
}

describe('CSV that was written', () => {
  it('is read back in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        tables,
        cutsArbitrary,
        fc.constantFrom('\n', '\r\n'),
        async (table, cuts, lineEnd) => {
          const names = header(table[0]?.length ?? 0)
          const text = [names, ...table].map((values) => csvLine(values) + lineEnd).join('')
          const rows = await contentOf(readCsv(inChunks(text, cuts), { delimiter: ',' }))
          const expected = table.map((values) =>
            Object.fromEntries(
              names
                .map((name, index) => [name, values[index]])
                .filter(([, value]) => value !== undefined),
            ),
          )
          expect(rows.map(([, cells]) => cells)).toEqual(expected)
        },
      ),
      fcOptions(300),
    )
  })

  it('is read like csv-parse reads it', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async (table) => {
        const names = header(table[0]?.length ?? 0)
        const text = [names, ...table].map((values) => `${csvLine(values)}\n`).join('')
        const rows = await contentOf(readCsv(inChunks(text), { delimiter: ',' }))
        const others = parse(text, { columns: true, record_delimiter: '\n' }) as object[]
        const withoutEmpty = (cells: unknown) =>
          Object.entries(cells as object).filter(([, value]) => (value ?? '') !== '')
        expect(rows.map(([, cells]) => withoutEmpty(cells))).toEqual(others.map(withoutEmpty))
      }),
      fcOptions(300),
    )
  })

  it('yields the same rows and messages in any chunks', async () => {
    const texts = fc.array(oddText, { maxLength: 12 }).map((parts) => `a,b\n${parts.join('\n')}`)
    const outcome = async (text: string, cuts: readonly number[]) => {
      try {
        return await contentOf(readCsv(inChunks(text, cuts)))
      } catch (error) {
        return (error as Error).message
      }
    }
    await fc.assert(
      fc.asyncProperty(texts, cutsArbitrary, async (text, cuts) => {
        expect(await outcome(text, cuts)).toEqual(await outcome(text, [100_000]))
      }),
      fcOptions(300),
    )
  })
})

describe('one record of CSV', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(tables, fc.constantFrom('', '\n', '\r\n'), (table, lineEnd) => {
        for (const values of table) {
          expect(readCsvRecord(csvLine(values) + lineEnd, ',')).toEqual(values)
        }
      }),
      fcOptions(300),
    )
  })
})
