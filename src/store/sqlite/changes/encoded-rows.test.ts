import { expect, it } from 'vitest'
import type { EncodedRows } from './change-message.ts'
import { changesOf, decodeRows, encodeRows, freeItems, keyOf } from './encoded-rows.ts'

it('frees the buffers of encoded changes, and leaves others alone', () => {
  const { keys, rows } = encodeRows([['a'], ['b']], 0)
  const encoded: EncodedRows = { keys, rows }
  const items = [encoded, ['c']] as const
  expect(changesOf(items).map(keyOf)).toEqual(['a', 'b', 'c'])
  freeItems(items)
  expect(Object.values(encoded).map(({ byteLength }) => byteLength)).toEqual([0, 0])
  expect(items[1]).toEqual(['c'])
})

it('encodes any number of changes', () => {
  const puts = Array.from({ length: 2000 }, (_, n) => {
    const texts = [`id ${n}`, `key ${n}`, null, `body ${n}`] as const
    return [`pk ${n}`, ...texts, [n, `v${n}`], n - 9] as const
  })
  const { count, keys, rows } = encodeRows(puts.values(), 2)
  const decoded = decodeRows({ keys, rows })
  expect(count).toBe(2000)
  expect(decoded.map((change) => change.readPut())).toEqual(puts)
})
