import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSheets, unzip } from '../../../test/support/xlsx-file.ts'
import type { TableColumn, TableObject } from '../table-file.ts'
import { columnLetters } from './sheet-cells.ts'
import { openXlsx, type XlsxOptions } from './write-xlsx.ts'

async function write(
  columns: Readonly<Record<string, string>>,
  objects: readonly TableObject[],
  options?: XlsxOptions,
): Promise<Buffer> {
  const pieces: Buffer[] = []
  const typed = Object.entries(columns).map(
    ([name, type]): TableColumn => ({ name, type: { kind: 'scalar', type }, isRequired: false }),
  )
  const keep = (bytes: Uint8Array) => void pieces.push(Buffer.from(bytes))
  const file = openXlsx({ name: 'thing', columns: typed }, keep, options)
  for (const object of objects) await file.add(Buffer.from(JSON.stringify(object)))
  await file.finish()
  return Buffer.concat(pieces)
}

const cells = async (columns: Readonly<Record<string, string>>, ...objects: TableObject[]) =>
  readSheets(await write(columns, objects))['thing']

describe('an Excel file', () => {
  it('has a head and a row for each object, with gaps where there is no value', async () => {
    const columns = { id: 'integer', name: 'string', ok: 'boolean' }
    expect(await cells(columns, { id: 1, ok: true }, { id: 2, name: 'b' })).toEqual({
      A1: 'id',
      B1: 'name',
      C1: 'ok',
      A2: 1,
      C2: true,
      A3: 2,
      B3: 'b',
    })
    expect(await cells(columns)).toEqual({ A1: 'id', B1: 'name', C1: 'ok' })
  })

  it('has the parts that Excel looks for', async () => {
    const files = unzip(await write({ id: 'integer' }, [{ id: 1 }]))
    expect([...files.keys()].toSorted()).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/_rels/workbook.xml.rels',
      'xl/styles.xml',
      'xl/workbook.xml',
      'xl/worksheets/sheet1.xml',
    ])
  })

  it('writes numbers that Excel would round as text', async () => {
    const columns = { long: 'long', decimal: 'decimal', double: 'double' }
    const few = { long: '999999999999999', decimal: '-12.50', double: 0.1 + 0.2 }
    const many = { long: '1234567890123456', decimal: '0.1234567890123456', double: 'NaN' }
    expect(await cells(columns, few, many)).toMatchObject({
      A2: 999_999_999_999_999,
      B2: -12.5,
      C2: 0.1 + 0.2,
      A3: '1234567890123456',
      B3: '0.1234567890123456',
      C3: 'NaN',
    })
  })

  it('shows as many digits after the point as a decimal has', async () => {
    const values = ['1.10', '-12.500', '7', '0.123456789012345', '0.1234567890123456']
    const objects = values.map((price) => ({ price }))
    const files = unzip(await write({ price: 'decimal' }, objects))
    const styles = String(files.get('xl/styles.xml'))
    const formats = new Map(
      [...styles.matchAll(/numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [
        id,
        code,
      ]),
    )
    const [, cellFormats = ''] = /<cellXfs[^>]*>(.*)<\/cellXfs>/.exec(styles) ?? []
    const used = [...cellFormats.matchAll(/<xf (?:numFmtId="(\d+)")?/g)].map(([, id]) =>
      formats.get(id),
    )
    const sheet = String(files.get('xl/worksheets/sheet1.xml'))
    const shown = values.map((_, row) => {
      const [, style] = new RegExp(`<c r="A${row + 2}" s="(\\d+)"`).exec(sheet) ?? []
      return style === undefined ? undefined : used[Number(style)]
    })
    expect(shown).toEqual(['0.00', '0.000', undefined, `0.${'0'.repeat(15)}`, undefined])
  })

  it('writes days and times as Excel counts them, and others as text', async () => {
    const columns = { day: 'date', time: 'timestamp' }
    const usual = { day: '2024-02-29', time: '2024-02-29T12:00:00Z' }
    const fine = { day: '1900-02-28', time: '2024-02-29T12:00:00.000001Z' }
    expect(await cells(columns, usual, fine)).toMatchObject({
      A2: 45_351,
      B2: 45_351.5,
      A3: '1900-02-28',
      B3: '2024-02-29T12:00:00.000001Z',
    })
  })

  it('keeps every text as it is, also what looks like a formula or an escape', async () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('=1+1', '_x0041_', '<&>"', '\u0000\u001f\r\n\t', ' a '),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(unit), async (texts) => {
        const sheet = await cells({ text: 'string' }, ...texts.map((text) => ({ text })))
        for (const [index, text] of texts.entries()) expect(sheet?.[`A${index + 2}`]).toBe(text)
      }),
    )
  })

  it('says which texts it cut', async () => {
    const long = `${'x'.repeat(32_000)}${'😀'.repeat(500)}`
    const fits = 'y'.repeat(32_767)
    const sheets = readSheets(await write({ text: 'string' }, [{ text: fits }, { text: long }]))
    expect(sheets['thing']?.['A2']).toBe(fits)
    const cut = String(sheets['thing']?.['A3'])
    expect(cut.length).toBeLessThanOrEqual(32_767)
    expect(cut).toMatch(/… \[cut: 33000 characters\]$/)
    expect(cut.isWellFormed()).toBe(true)
    expect(sheets['Cut texts']).toMatchObject({ A3: 'thing', B3: 'A3', C3: 'text', D3: '33000' })
  })

  it('goes on in another sheet where one is full', async () => {
    const objects = Array.from({ length: 5 }, (_, id) => ({ id }))
    const sheets = readSheets(await write({ id: 'integer' }, objects, { sheetRows: 3 }))
    expect(sheets).toEqual({
      thing: { A1: 'id', A2: 0, A3: 1 },
      'thing 2': { A1: 'id', A2: 2, A3: 3 },
      'thing 3': { A1: 'id', A2: 4 },
    })
  })

  it('names columns as Excel does', () => {
    expect([0, 25, 26, 701, 702, 16_383].map(columnLetters)).toEqual([
      'A',
      'Z',
      'AA',
      'ZZ',
      'AAA',
      'XFD',
    ])
  })
})
