import { tableFromIPC } from '@uwdata/flechette'
import { describe, expect, it } from 'vitest'
import type { ColumnType, TableColumn, TableObject } from '../table-file.ts'
import { openArrow } from './write-arrow.ts'

const scalar = (type: string): ColumnType => ({ kind: 'scalar', type })
const struct = (fields: Readonly<Record<string, ColumnType>>): ColumnType => ({
  kind: 'struct',
  fields: new Map(Object.entries(fields)),
})
const column = (name: string, type: ColumnType, isRequired = false): TableColumn => ({
  name,
  type,
  isRequired,
})

const recordsOf = (rows: readonly TableObject[]) =>
  Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))

/** Writes rows in pieces of a few rows, and returns the pieces of the stream. */
async function write(
  columns: readonly TableColumn[],
  rows: readonly TableObject[],
  rowsAtOnce = 1000,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  const file = openArrow({ name: 'thing', columns }, (bytes) => void pieces.push(bytes.slice()))
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await file.add(recordsOf(rows.slice(at, at + rowsAtOnce)))
  }
  await file.finish()
  return pieces
}

const OPTIONS = { useBigInt: true, useBigIntTimestamp: true }

const read = (pieces: readonly Uint8Array[]) => tableFromIPC(Buffer.concat(pieces), OPTIONS)

describe('an Arrow stream', () => {
  const COLUMNS = [
    column('id', scalar('string'), true),
    column('flag', scalar('boolean')),
    column('small', scalar('byte')),
    column('count', scalar('integer')),
    column('huge', scalar('long')),
    column('ratio', scalar('double')),
    column('price', scalar('decimal')),
    column('day', scalar('date')),
    column('at', scalar('timestamp')),
    column('spot', scalar('geopoint')),
    column('tags', { kind: 'array', items: scalar('string') }),
    column('box', struct({ row: scalar('long'), at: scalar('timestamp') })),
    column('lines', { kind: 'array', items: struct({ sku: scalar('string') }) }),
  ]

  it('has the types of Parquet, with exact numbers, times and nulls', async () => {
    const whole = {
      id: 'ä',
      flag: true,
      small: -1,
      count: 70_000,
      huge: '9007199254740993',
      ratio: 'NaN',
      price: '1.10',
      day: '1969-12-31',
      at: '2024-01-02T03:04:05.123456Z',
      spot: { type: 'Point', coordinates: [1, 2] },
      tags: ['é', ''],
      box: { row: '-5', at: '1969-12-31T23:59:59.999999Z' },
      lines: [{ sku: 's' }, {}],
    }
    const table = read(await write(COLUMNS, [whole, { id: '' }]))
    expect(table.schema.fields.map(({ name, nullable }) => [name, nullable]).slice(0, 2)).toEqual([
      ['id', false],
      ['flag', true],
    ])
    expect(table.schema.metadata?.get('oqs.types')).toContain('"price":"decimal"')
    const [first, second] = table.toArray()
    expect(first).toEqual({
      ...whole,
      huge: 9_007_199_254_740_993n,
      ratio: Number.NaN,
      day: -86_400_000,
      at: 1_704_164_645_123_456n,
      spot: JSON.stringify(whole.spot),
      box: { row: -5n, at: -1n },
      lines: [{ sku: 's' }, { sku: null }],
    })
    const nothing = COLUMNS.slice(1).map(({ name }) => [name, null])
    expect(second).toEqual({ id: '', ...Object.fromEntries(nothing) })
  })

  it('is sent in batches of bounded size, whatever the pieces of the input', async () => {
    const columns = [column('id', scalar('string'), true), column('n', scalar('integer'))]
    const rows = Array.from({ length: 25_000 }, (_, n) => ({ id: `k${n}`, n }))
    const [small, large] = await Promise.all([
      write(columns, rows, 7),
      write(columns, rows, 25_000),
    ])
    expect(Buffer.concat(small)).toEqual(Buffer.concat(large))
    // The schema, three batches and the end.
    expect(small).toHaveLength(5)
    const table = read(small)
    expect(table.numRows).toBe(25_000)
    expect(table.get(24_999)).toEqual({ id: 'k24999', n: 24_999 })
  })

  it('can be continued by others, who write pieces of their own', async () => {
    const columns = [column('id', scalar('string'), true)]
    const pieces: Uint8Array[] = []
    const open = (isBegun: boolean) =>
      openArrow({ name: 'thing', columns }, (bytes) => void pieces.push(bytes.slice()), {
        isBegun,
      })
    const [first, second] = [open(false), open(true)]
    for (const [file, id] of [
      [first, 'a'],
      [second, 'b'],
      [first, 'c'],
    ] as const) {
      await file.add(recordsOf([{ id }]))
      await file.endPiece()
    }
    await first.finish()
    // The schema, three batches and the end.
    expect(pieces).toHaveLength(5)
    expect(read(pieces).toArray()).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
  })

  it.each([
    ['string', '"a \\"quoted\\" \\\\ back\\u00e9"', 'a "quoted" \\ backé'],
    ['string', '"{[,]}"', '{[,]}'],
    ['boolean', 'false', false],
    ['integer', '-2147483648', -2_147_483_648],
    ['double', '0.1', 0.1],
    ['double', '-12345678.90123', -12_345_678.901_23],
    ['double', '1.7976931348623157e308', 1.7976931348623157e308],
    ['double', '0.30000000000000004', 0.300_000_000_000_000_04],
    ['double', '5e-324', 5e-324],
    ['double', '"-Infinity"', -Infinity],
    ['long', '"-9223372036854775808"', -(2n ** 63n)],
    ['long', '"999999999999999"', 999_999_999_999_999n],
    ['long', '"-4294967297"', -4_294_967_297n],
    ['long', '"0"', 0n],
    ['date', '"0001-01-01"', -62_135_596_800_000],
    ['date', '"2024-02-29"', Date.UTC(2024, 1, 29)],
    ['date', '"9999-12-31"', Date.UTC(9999, 11, 31)],
    ['timestamp', '"2024-02-29T12:30:00Z"', 1_709_209_800_000_000n],
    ['timestamp', '"2024-02-29T12:30:00.1Z"', 1_709_209_800_100_000n],
    ['timestamp', '"9999-12-31T23:59:59.999999Z"', 253_402_300_799_999_999n],
    ['timestamp', '"0001-01-01T00:00:00.000001Z"', -62_135_596_799_999_999n],
    [
      'geopoint',
      '{"type": "Point", "coordinates": [1, 2]}',
      '{"type":"Point","coordinates":[1,2]}',
    ],
  ])('has %s %s', async (type, json, expected) => {
    const columns = [column('id', scalar('string'), true), column('value', scalar(type))]
    const pieces: Uint8Array[] = []
    const file = openArrow({ name: 'thing', columns }, (bytes) => void pieces.push(bytes.slice()))
    // Databases write selected properties with spaces, and in an order of their own.
    const texts = [`{"id":"a","value":${json}}`, `{ "value" : ${json}, "id" : "b" }`, '{"id":"c"}']
    await file.add(Buffer.from(texts.join('\n')))
    await file.add(Buffer.from('{"id":"d","value":null}'))
    await file.finish()
    const rows = read(pieces).toArray()
    expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(rows.map(({ value }) => value)).toEqual([expected, expected, null, null])
  })

  it('copies texts of every length, with escapes anywhere and gaps between them', async () => {
    const columns = [column('id', scalar('string'), true), column('text', scalar('string'))]
    const plain = 'abcdefghijk'
    const rows: TableObject[] = [...plain].flatMap((_, length) => {
      const start = plain.slice(0, length)
      return [
        { id: `${length}`, text: start },
        { id: `${length} none` },
        ...['"', '\\', '\n', 'é', '"x"'].map((escaped) => {
          return { id: `${length} ${escaped}`, text: `${start}${escaped}${start}` }
        }),
      ]
    })
    const expected = rows.map((row) => ({ text: null, ...row }))
    expect(read(await write(columns, rows)).toArray()).toEqual(expected)
    // One record at a time: texts end with the bytes.
    expect(read(await write(columns, rows, 1)).toArray()).toEqual(expected)
    const long = [{ id: 'long', text: plain.repeat(10_000) }]
    expect(read(await write(columns, long)).toArray()).toEqual(long)
  })

  it('ends a batch of large objects early', async () => {
    const columns = [column('id', scalar('string'), true)]
    const rows = Array.from({ length: 12 }, (_, n) => ({ id: `${n}${'x'.repeat(1024 * 1024)}` }))
    const pieces = await write(columns, rows)
    // The schema, three batches of four objects and the end.
    expect(pieces).toHaveLength(5)
    expect(read(pieces).get(11)).toEqual(rows[11])
  })

  it('without objects has the schema alone', async () => {
    const table = read(await write(COLUMNS, []))
    expect([table.numRows, table.numCols]).toEqual([0, COLUMNS.length])
  })

  it('refuses a property that was added during the export', async () => {
    const columns = [column('id', scalar('string'), true)]
    await expect(write(columns, [{ id: 'a', added: 1 }])).rejects.toThrow('property added')
  })
})
