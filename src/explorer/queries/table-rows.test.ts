import { expect, it } from 'vitest'
import { tableRows } from './table-rows.ts'
import type { WalkPage, WalkState } from './walk.ts'

/** What a walk has read of numbered objects, in pages of two. */
function walkOver(keys: readonly number[], totalCount: number) {
  const records = keys.map((key) => ({ key, title: undefined, properties: {} }))
  const pages = Array.from({ length: Math.ceil(keys.length / 2) }, (_, index) => {
    const count = Math.min(2, keys.length - 2 * index)
    return { index, firstRow: 2 * index, count } as WalkPage
  })
  const isComplete = keys.length === totalCount
  return {
    getState: () =>
      ({ rowCount: keys.length, pages, isComplete, totalCount }) as unknown as WalkState,
    record: (row: number) => records[row],
    recordsOf: (index: number) => records.slice(2 * index, 2 * index + 2),
  }
}

const keysOf = (rows: ReturnType<typeof tableRows>) =>
  Array.from({ length: rows.rowCount }, (_, row) => rows.record(row)?.key)

it('has the rows from the start only, until the end was read', () => {
  const start = walkOver([0, 1], 9)
  for (const end of [undefined, walkOver([], 9)]) {
    expect(tableRows(start, end)).toMatchObject({ rowCount: 2, readCount: 2, hasEnd: false })
  }
})

it('puts the rows from the end to the end, and leaves a gap between', () => {
  const rows = tableRows(walkOver([0, 1], 9), walkOver([8, 7, 6], 9))
  expect(keysOf(rows)).toEqual([0, 1, undefined, undefined, undefined, undefined, 6, 7, 8])
  expect(rows).toMatchObject({ readCount: 5, gap: { first: 2, end: 6 }, hasEnd: true })
  expect([1, 2, 5, 6].map(rows.wasRead)).toEqual([true, false, false, true])
  const pages = rows.pages.map(({ firstRow, records }) => [
    firstRow,
    records().map(({ key }) => key),
  ])
  expect(pages).toEqual([
    [0, [0, 1]],
    [6, [6]],
    [7, [7, 8]],
  ])
})

it('closes the gap where both meet, and is the walk from the start once that has all rows', () => {
  const met = tableRows(walkOver([0, 1, 2], 5), walkOver([4, 3, 2, 1], 5))
  expect(keysOf(met)).toEqual([0, 1, 2, 3, 4])
  expect(met.gap).toBeUndefined()
  // Objects that were added meanwhile belong to another moment.
  const complete = tableRows(walkOver([0, 1, 2], 3), walkOver([4, 3], 5))
  expect(keysOf(complete)).toEqual([0, 1, 2])
})
