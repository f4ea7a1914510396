import { describe, expect, it } from 'vitest'
import type { ByteRow } from '../driver/byte-rows.ts'
import { bytesUpTo, fittingRows, toPageRows } from './page-sql.ts'

function row(pk: string, record: string | null, version?: number): ByteRow {
  const bigint = Buffer.alloc(8)
  if (version !== undefined) bigint.writeBigInt64BE(BigInt(version))
  return [
    Buffer.from(pk),
    version === undefined ? null : bigint,
    record === null ? null : Buffer.from(record),
  ]
}

const RECORD = { shape: [], selection: undefined }

describe('the rows of a page', () => {
  it.each([
    [[], undefined, ''],
    [[row('a', '{"ä":1}', 7)], { pk: 'a', version: 7 }, '{"ä":1}'],
    [[row('a', '1'), row('b', '2')], { pk: 'b', version: 0 }, '1,2'],
    [[row('a', ''), row('b', ''), row('c', '3')], { pk: 'c', version: 0 }, ',,3'],
  ])('become its bytes: %#', (rows, last, records) => {
    const page = toPageRows(rows, true, RECORD)
    expect({ ...page, records: page.records.toString() }).toMatchObject({
      records,
      last,
      count: rows.length,
      more: true,
    })
  })

  it('are separated as requested', () => {
    const page = toPageRows([row('a', '1'), row('b', '2')], false, { ...RECORD, separator: '\n' })
    expect(page.records.toString()).toBe('1\n2')
  })

  it('end at the first record that does not fit, or at the page size', () => {
    const rows = [row('a', '1'), row('b', '2'), row('c', null), row('d', null)]
    expect(fittingRows(rows, 9)).toEqual(rows.slice(0, 2))
    expect(fittingRows(rows, 1)).toEqual(rows.slice(0, 1))
    expect(fittingRows([row('a', null)], 9)).toEqual([])
  })

  it('have a running total of bytes if the statement had a budget', () => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64BE(5_000_000_000n)
    expect(bytesUpTo([null, null, null, bytes])).toBe(5_000_000_000)
    expect(bytesUpTo(undefined)).toBe(0)
  })
})
