import { describe, expect, it } from 'vitest'
import { API_NAME_PATTERN } from '../../ontology/definition/api-name.ts'
import { camelName, freeName, propertyNameOf, wordsOf } from './column-names.ts'
import { findGeopointColumns, geopointText } from './geopoint-columns.ts'

describe('propertyNameOf', () => {
  it.each([
    ['iata', 'iata'],
    ['Miles_per_Gallon', 'Miles_per_Gallon'],
    ['1962', '1962'],
    ['US Gross', 'usGross'],
    ['Beak Length (mm)', 'beakLengthMm'],
    ['a.b', 'aB'],
    ['Größe', 'grosse'],
    ['Año', 'ano'],
    ['名前', 'u540dU524d'],
    ['', 'column'],
    ['%', 'column'],
    ['__proto__', 'proto'],
    ['__primaryKey', 'primaryKey'],
    ['__id', '__id'],
    ['x '.repeat(300), `x${'X'.repeat(254)}`],
  ])('converts %j to %j', (column, name) => {
    expect(propertyNameOf(column)).toBe(name)
    expect(name).toMatch(new RegExp(API_NAME_PATTERN))
  })

  it('does not change its own results', () => {
    expect(propertyNameOf(propertyNameOf('IMDB Rating'))).toBe('imdbRating')
  })
})

it('splits names into words', () => {
  expect(wordsOf('HTTPStatus_code')).toEqual(['HTTP', 'Status', 'code'])
  expect(camelName(['HTTP', 'status'])).toBe('httpStatus')
})

it('appends a number to a name that is taken', () => {
  const taken = new Set(['row', 'row2'])
  expect(freeName('row', (name) => taken.has(name))).toBe('row3')
  expect(freeName('other', (name) => taken.has(name))).toBe('other')
})

describe('findGeopointColumns', () => {
  it.each([
    [['lat', 'lon'], 'location'],
    [['Longitude', 'x', 'LATITUDE'], 'location'],
    [['origin_lat', 'origin_lng'], 'originLocation'],
    [['latOrigin', 'longOrigin'], 'originLocation'],
    [['lat1', 'lon1'], '1Location'],
    [['Start Latitude', 'Start Longitude'], 'startLocation'],
  ])('finds %j', (columns, property) => {
    expect(findGeopointColumns(columns).map((pair) => pair.property)).toEqual([property])
  })

  it('pairs only columns with matching names', () => {
    expect(findGeopointColumns(['origin_lat', 'target_lon', 'flat', 'along'])).toEqual([])
    const two = findGeopointColumns(['a_lat', 'b_lon', 'a_lon', 'b_lat'])
    expect(two.map(({ latitude, longitude }) => [latitude, longitude])).toEqual([
      ['a_lat', 'a_lon'],
      ['b_lat', 'b_lon'],
    ])
  })
})

describe('geopointText', () => {
  it('puts the longitude first', () => {
    expect(geopointText(' 48.10', 11.5)).toBe('{"type":"Point","coordinates":[11.5,48.1]}')
    expect(geopointText('', null)).toBeUndefined()
  })

  it.each([
    [48, null, 'has a latitude but no longitude'],
    ['', '11', 'has a longitude but no latitude'],
    ['north', '11', 'has a latitude that is not a number'],
    [91, 11, 'has a latitude outside -90 to 90'],
    [48, 181, 'has a longitude outside -180 to 180'],
    [Number.NaN, 11, 'has a latitude that is not a number'],
  ])('rejects %j, %j', (latitude, longitude, reason) => {
    expect(() => geopointText(latitude, longitude)).toThrow(reason)
  })
})
