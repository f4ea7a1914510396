import { expect, it } from 'vitest'
import { parsedType } from './apply-type.ts'
import { checkSample } from './check-sample.ts'
import { mistakesInMapping, optionsOfMapping, suggestMapping, targetsOf } from './column-mapping.ts'
import { rejectionText } from './load-outcome.tsx'

const type = parsedType({
  apiName: 'city',
  primaryKey: 'id',
  properties: {
    id: { type: 'string' },
    fullName: { type: 'string' },
    location: { type: 'geopoint' },
    size: { type: 'integer' },
  },
})

const KEYED = { needsKey: true }

it('matches columns by name, and pairs coordinates', () => {
  const columns = ['id', 'full name', 'lat', 'lon', 'comment']
  const mapping = suggestMapping(type, columns)
  expect([...mapping]).toEqual([
    ['id', 'id'],
    ['full name', 'fullName'],
    ['lat', 'location/latitude'],
    ['lon', 'location/longitude'],
  ])
  expect(mistakesInMapping(type, mapping, KEYED)).toEqual([])
  expect(optionsOfMapping(type, columns, mapping)).toMatchObject({
    map: new Map([
      ['id', 'id'],
      ['full name', 'fullName'],
    ]),
    ignore: new Set(['comment']),
    geopoints: new Map([['location', { latitude: 'lat', longitude: 'lon' }]]),
  })
  expect(targetsOf(type)).toEqual([
    'id',
    'fullName',
    'location',
    'location/latitude',
    'location/longitude',
    'size',
  ])
})

it('leaves two columns for one property to the user', () => {
  const mapping = suggestMapping(type, ['id', 'full name', 'full_name', 'fullName', 'Full Name'])
  expect([...mapping.values()].filter((target) => target === 'fullName')).toHaveLength(1)
})

it('says what is missing or doubled', () => {
  expect(
    mistakesInMapping(
      type,
      new Map([
        ['a', 'size'],
        ['b', 'size'],
        ['c', 'location/latitude'],
      ]),
      KEYED,
    ),
  ).toEqual([
    'Two columns go into “size”. Skip one of them.',
    'Choose the column with the longitude of “location” as well.',
    'No column goes into “id”, which identifies the objects. Choose the column that has it.',
  ])
  expect(mistakesInMapping(type, new Map(), KEYED)).toEqual([
    'Choose a property for at least one column.',
  ])
})

it('checks JSON values as the service does', () => {
  const rows = [
    { line: 1, cells: { id: 'a', size: 3 }, json: '{"id":"a","size":3}' },
    { line: 2, cells: { id: 'b', size: 1.5 }, json: '{"id":"b","size":1.5}' },
    { line: 3, cells: { size: 1 }, json: '{"size":1}' },
  ]
  const columns = ['id', 'size']
  const options = optionsOfMapping(type, columns, suggestMapping(type, columns))
  expect(
    checkSample(type, options, rows, 'json').misfits.map(({ line, reason }) => [line, reason]),
  ).toEqual([
    [2, 'is not an integer'],
    [3, 'is the primary key and is missing'],
  ])
})

it('finds rows with the same key', () => {
  const rows = ['a', 'b', 'a'].map((id, index) => ({ line: index + 2, cells: { id } }))
  const options = optionsOfMapping(type, ['id'], suggestMapping(type, ['id']))
  expect(checkSample(type, options, rows, 'text').repeats).toEqual([{ line: 4, earlierLine: 2 }])
})

it('copies rejected rows as lines with tabs', () => {
  const rejection = { file: 'a.csv', line: 3, property: 'x', excerpt: 'a\tb', reason: 'is wrong' }
  expect(rejectionText([rejection])).toBe('line\tcolumn\tvalue\treason\trow\n3\tx\ta b\tis wrong\t')
})
