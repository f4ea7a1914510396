import { expect, it } from 'vitest'
import { columnsOf, columnsToKeep, moveColumn } from './columns.ts'

const objectType = {
  apiName: 'city',
  rid: 'r',
  primaryKey: 'id',
  titleProperty: 'name',
  properties: {
    id: { type: 'integer' },
    size: { type: 'long' },
    name: { type: 'string' },
    land: { type: 'string' },
  },
} as const
const ontology = { apiName: 'world', rid: 'o', objectTypes: [objectType] }
const widths = { id: 100, name: 200, size: 100, land: 100 }

function shown(pins: readonly string[], columns?: readonly string[], room = 1000) {
  return columnsOf(ontology, objectType, { columns, pins }, { widths, room })
}
const namesOf = (columns: ReturnType<typeof shown>) => columns.map(({ name }) => name)

it('shows the key, the pinned columns, then the others', () => {
  expect(namesOf(shown([]))).toEqual(['id', 'name', 'size', 'land'])
  expect(namesOf(shown(['land', 'gone']))).toEqual(['id', 'land', 'name', 'size'])
  expect(namesOf(shown(['land'], ['size', 'land']))).toEqual(['id', 'land', 'size'])
})

it('pins columns only as far as they leave room for the others', () => {
  const left = (room: number) => shown(['name', 'size'], undefined, room).map((each) => each.left)
  expect(left(1000)).toEqual([0, 100, 300, undefined])
  expect(left(500)).toEqual([0, 100, undefined, undefined])
  expect(left(100)).toEqual([0, undefined, undefined, undefined])
})

it('moves a column within those that are pinned, or within the others', () => {
  const moved = (name: string, to: number) => moveColumn(shown(['name', 'land']), name, to)
  expect(moved('land', 1)).toEqual(['id', 'land', 'name', 'size'])
  expect(moved('land', 0)).toEqual(['id', 'land', 'name', 'size'])
  expect(moved('name', 4)).toEqual(['id', 'land', 'name', 'size'])
  expect(moved('size', 0)).toEqual(['id', 'name', 'land', 'size'])
  expect(moved('id', 3)).toEqual(['id', 'name', 'land', 'size'])
  expect(moveColumn(shown([]), 'name', 3)).toEqual(['id', 'size', 'name', 'land'])
})

it('keeps nothing if all columns are in their usual order', () => {
  expect(columnsToKeep(objectType, ['id', 'name', 'size', 'land'])).toBeUndefined()
  expect(columnsToKeep(objectType, ['id', 'size', 'name'])).toEqual(['size', 'name'])
})

it('leads from the key and the title to the object of the row', () => {
  expect(shown([]).map(({ link }) => link?.isOwn)).toEqual([true, true, undefined, undefined])
})
