import { expect, it } from 'vitest'
import type { Column } from './columns.ts'
import { findInRows } from './find-in-rows.ts'

const columns = ['name', 'size'].map(
  (name): Column => ({
    name,
    definition: { type: 'string' },
    width: 1,
    isNumeric: false,
    style: 'auto',
    link: undefined,
    isPinned: false,
    left: undefined,
    isEdge: false,
  }),
)
const pagesOfRows = [
  [
    { name: 'Zürich', size: 1234 },
    { name: 'Bern', size: 5 },
  ],
  [{ name: 'Bernau', size: undefined }],
]
const rows = {
  rowCount: 3,
  pages: pagesOfRows.map((page, index) => ({
    firstRow: 2 * index,
    records: () => page.map((properties) => ({ key: 1, title: undefined, properties })),
  })),
}
const find = (text: string, from: number, isBackward = false) =>
  findInRows(rows, columns, { text, from, isBackward })

it('finds the next row, goes round, and searches backwards', async () => {
  expect(await find('bern', -1)).toEqual({ row: 1, column: 0 })
  expect(await find('bern', 1)).toEqual({ row: 2, column: 0 })
  expect(await find('bern', 2)).toEqual({ row: 1, column: 0 })
  expect(await find('bern', 1, true)).toEqual({ row: 2, column: 0 })
})

it('finds numbers as they are shown', async () => {
  expect(await find('1,234', -1)).toEqual({ row: 0, column: 1 })
  expect(await find('zür', 0)).toEqual({ row: 0, column: 0 })
  expect(await find('nowhere', 0)).toBeUndefined()
  expect(await find(' ', 0)).toBeUndefined()
})
