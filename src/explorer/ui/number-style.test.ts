import { expect, it } from 'vitest'
import type { OntologyDefinition } from '../api/ontology.ts'
import { type Extent, numberStyle, propertiesStyledByValues } from './format-value.ts'

const NAMES =
  'population seats flightNumber zip_code osmId yearBuilt postalCode phone numberOfSeats makerId'
const integer = { type: 'integer' } as const
const objectType = {
  apiName: 'thing',
  rid: 'ri.thing',
  primaryKey: 'rank',
  properties: {
    rank: integer,
    owner: integer,
    plzn: { ...integer, displayName: 'Postal code' },
    price: { type: 'double' },
    ...Object.fromEntries(NAMES.split(' ').map((name) => [name, integer])),
  },
} as const
const ontology: OntologyDefinition = {
  apiName: 'things',
  rid: 'ri.things',
  objectTypes: [objectType],
  linkTypes: [{ apiName: 'ownedBy', from: 'thing', to: 'thing', foreignKey: 'owner' }],
}
const of = { ontology, objectType }

it('takes keys, foreign keys and telling names for codes', () => {
  const plain = Object.keys(objectType.properties).filter(
    (name) => numberStyle(of, name) === 'plain',
  )
  expect(plain.toSorted()).toEqual(
    'flightNumber makerId osmId owner phone plzn postalCode rank yearBuilt zip_code'.split(' '),
  )
  expect(propertiesStyledByValues(of)).toEqual(['price', 'population', 'seats', 'numberOfSeats'])
})

it.each<readonly [string, Extent, string]>([
  ['years', [1642, 2026], 'plain'],
  ['small amounts', [-40, 9999], 'plain'],
  ['codes of five digits', [10_115, 99_998], 'plain'],
  ['amounts', [0, 22_315_474], 'grouped'],
  ['debts', [-99_998, -10_115], 'grouped'],
  ['one amount', [22_315_474, 22_315_474], 'grouped'],
])('decides by the values: %s', (_, extent, style) => {
  expect(numberStyle(of, 'population', extent)).toBe(style)
})

it.each<readonly [string, Extent, string]>([
  ['prices', [1234.5, 12_000.1], 'grouped'],
  ['small prices', [0.5, 9999.99], 'plain'],
  ['prices with the same number of digits', [10_000.5, 99_000.25], 'grouped'],
  ['tiny numbers', [-1e-308, 0.25], 'plain'],
])('writes all measurements of a property alike: %s', (_, extent, style) => {
  expect(numberStyle(of, 'price', extent)).toBe(style)
})
