import { expect, it } from 'vitest'
import { columnsOf } from './columns.ts'
import { copyCells } from './copy-cells.ts'

const objectType = {
  apiName: 'item',
  rid: 'r',
  primaryKey: 'id',
  properties: {
    id: { type: 'string' },
    price: { type: 'double' },
    stock: { type: 'long' },
    note: { type: 'string' },
  },
} as const
const ontology = { apiName: 'shop', rid: 'o', objectTypes: [objectType] }
const columns = columnsOf(ontology, objectType, { columns: undefined, pins: [] })
const objects = [
  { id: '007', price: 1234.5, stock: '9007199254740993', note: 'a\tb "c"' },
  { id: '008', price: undefined, stock: '1', note: '<b>&' },
]
const record = (row: number) => {
  const properties = objects[row]
  return properties && { key: properties.id, title: undefined, properties }
}
const copy = (rows: readonly [number, number], shown: readonly [number, number]) =>
  copyCells({ rows, columns: shown }, { record }, columns)

it('writes tabs between cells, and quotes what has some', () => {
  expect(copy([0, 1], [0, 3])).toMatchObject({
    text: '007\t1234.5\t9007199254740993\t"a\tb ""c"""\n008\t\t1\t<b>&',
    note: '2 × 4 cells copied',
  })
})

it('writes a table in which codes and long numbers stay as they are', () => {
  const text = ` style="mso-number-format:'\\@'"`
  expect(copy([0, 0], [0, 2])).toMatchObject({
    html: `<table><tr><td${text}>007</td><td>1234.5</td><td${text}>9007199254740993</td></tr></table>`,
  })
  expect(copy([1, 1], [3, 3])).toMatchObject({
    html: `<table><tr><td${text}>&lt;b&gt;&amp;</td></tr></table>`,
  })
})

it('says which rows it does not have, and refuses more than a page can copy', () => {
  expect(copy([1, 3], [0, 0])).toMatchObject({
    text: '008',
    note: '1 × 1 cells copied; 2 rows have not been read',
  })
  expect(copy([0, 999_999], [0, 0])).toMatch(/^Only 500,000 cells can be copied at once/)
})
