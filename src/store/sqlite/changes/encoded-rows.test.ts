import { expect, it } from 'vitest'
import type { EncodedRows } from './change-message.ts'
import { changesOf, encodeRows, freeItems, keyOf } from './encoded-rows.ts'

it('frees the buffers of encoded changes, and leaves others alone', () => {
  const encoded: EncodedRows = { ...encodeRows([['a'], ['b']], 0), terms: new Uint8Array(4) }
  const items = [encoded, ['c']] as const
  expect(changesOf(items).map(keyOf)).toEqual(['a', 'b', 'c'])
  freeItems(items)
  expect(Object.values(encoded).map(({ byteLength }) => byteLength)).toEqual([0, 0, 0])
  expect(items[1]).toEqual(['c'])
})
