import type { ColumnMetaData } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { field, i32, struct } from '../../../test/support/thrift-compact.ts'
import { checkPages } from './parquet-check.ts'

const DELTA_BINARY_PACKED = 5
const depth = { definition: 0, repetition: 0, isFlat: true }
const column = {
  type: 'INT32',
  codec: 'UNCOMPRESSED',
  num_values: 3n,
  total_uncompressed_size: 100n,
} as ColumnMetaData

function deltaPage(body: readonly number[]): Uint8Array {
  const own = struct([field(1, i32(3)), field(2, i32(DELTA_BINARY_PACKED))])
  const length = i32(body.length)
  const header = struct([field(1, i32(0)), field(2, length), field(3, length), field(5, own)])
  return Buffer.concat([header.bytes, Buffer.from(body)])
}

/** Blocks of 128 values in 4 miniblocks, 3 values in total, all equal to the first, which is 1. */
const SAME = [0x80, 0x01, 4, 3, 2, 0, 0, 0, 0, 0]

describe('a delta-encoded page', () => {
  const check = (body: readonly number[]) =>
    checkPages(deltaPage(body), column, { depth, rows: 3 }, {})

  it('is accepted', () => {
    expect(() => check(SAME)).not.toThrow()
  })

  it.each([
    ['no values', [0, 4, 3, 2, 0, 0, 0, 0, 0]],
    ['no miniblocks', [0x80, 0x01, 0, 3, 2, 0]],
    ['a negative size', [0x80, 0x80, 0x80, 0x80, 0x08, 4, 3, 2, 0, 0, 0, 0, 0]],
    ['a negative number of miniblocks', [0x80, 0x01, 0xff, 0xff, 0xff, 0xff, 0x0f, 3, 2, 0]],
  ])('is refused if its blocks have %s', (_, body) => {
    expect(() => check(body)).toThrow('a page has an invalid block size')
  })

  it('is refused if it ends before its values do', () => {
    expect(() => check(SAME.slice(0, 5))).toThrow('a page ends before its values do')
  })
})
