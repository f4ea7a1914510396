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

/** Writes rows in pieces of a few rows, and returns the pieces of the stream. */
async function write(
  columns: readonly TableColumn[],
  rows: readonly TableObject[],
  rowsAtOnce = 1000,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  const file = openArrow({ name: 'thing', columns }, (bytes) => void pieces.push(bytes.slice()))
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await file.add(rows.slice(at, at + rowsAtOnce))
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

  it('without objects has the schema alone', async () => {
    const table = read(await write(COLUMNS, []))
    expect([table.numRows, table.numCols]).toEqual([0, COLUMNS.length])
  })

  it('refuses a property that was added during the export', async () => {
    const columns = [column('id', scalar('string'), true)]
    await expect(write(columns, [{ id: 'a', added: 1 }])).rejects.toThrow('property added')
  })
})
