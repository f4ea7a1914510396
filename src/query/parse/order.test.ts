import { describe, expect, it } from 'vitest'
import { AIRPORT, failure } from '../../../test/support/parsed-queries.ts'
import { FIELD_MAX_LENGTH } from '../resolve-field.ts'
import { checkOrder, parseOrderText } from './order.ts'

const term = (property: string, direction = 'asc', nulls = 'nullsLast') => ({
  property,
  direction,
  nulls,
})

describe('the text of an order', () => {
  it.each([
    ['properties.name', [term('name')]],
    ['p.name:desc', [term('name', 'desc')]],
    ['p.name:desc:nullsFirst', [term('name', 'desc', 'nullsFirst')]],
    ['p.address.city', [term('address.city')]],
    ['p.name:asc, properties.id:desc ', [term('name'), term('id', 'desc')]],
  ])('%j is read', (text, terms) => {
    expect(parseOrderText(text)).toEqual(terms)
  })

  it.each([
    ['', failure('InvalidSortType', { invalidSortType: '' })],
    ['name', failure('InvalidSortType', { invalidSortType: 'name' })],
    ['p.', failure('InvalidSortType', { invalidSortType: 'p.' })],
    ['xp.name:desc', failure('InvalidSortType', { invalidSortType: 'xp.name' })],
    ['p.name,', failure('InvalidSortType', { invalidSortType: '' })],
    ['p.\nname', failure('InvalidSortType', { invalidSortType: 'p.\nname' })],
    [
      'p.id, p.name:asc:nullsLast:x ',
      failure('InvalidSortOrder', { invalidSortOrder: 'p.name:asc:nullsLast:x' }),
    ],
  ])('%j is refused', (text, refusal) => {
    expect(() => parseOrderText(text)).toThrow(refusal)
  })
})

describe('an order', () => {
  it.each([
    [[], []],
    [[term('name')], [{ property: 'name', direction: 'asc', nulls: 'last' }]],
    [
      [term('isOpen', 'desc', 'nullsFirst'), term('address.city')],
      [
        { property: 'isOpen', direction: 'desc', nulls: 'first' },
        { property: 'address', structField: 'city', direction: 'asc', nulls: 'last' },
      ],
    ],
  ])('%j is checked', (terms, order) => {
    expect(checkOrder(terms, AIRPORT)).toEqual(order)
  })

  it.each([
    [
      [term('nme'), term('name'), term('address.town')],
      failure('PropertiesNotFound', {
        objectType: 'airport',
        properties: ['nme', 'address.town'],
      }),
    ],
    [
      [term('name'), term('id'), term('name', 'desc'), term('id')],
      failure('DuplicateOrderBy', { properties: ['name', 'id'] }),
    ],
    [
      [term('name'), term('tags'), term('location'), term('address'), term('offices.city')],
      failure('PropertiesNotSortable', {
        properties: ['tags', 'location', 'address', 'offices.city'],
      }),
    ],
    [[term('name', 'up')], failure('InvalidSortOrder', { invalidSortOrder: 'up' })],
    [[term('name', 'asc', 'nulls')], failure('InvalidSortOrder', { invalidSortOrder: 'nulls' })],
  ])('%j is refused', (terms, refusal) => {
    expect(() => checkOrder(terms, AIRPORT)).toThrow(refusal)
  })

  it('has at most 20 terms', () => {
    const terms = (count: number) => Array.from({ length: count }, () => term('name'))
    expect(() => checkOrder(terms(21), AIRPORT)).toThrow(
      failure('QueryTermsExceededLimit', { termsLimit: 20 }),
    )
    expect(() => checkOrder(terms(20), AIRPORT)).toThrow(
      expect.objectContaining({ errorName: 'DuplicateOrderBy' }),
    )
  })

  it('does not look for names that are longer than any name', () => {
    const check = (apiName: string) => {
      const property = { apiName, type: { kind: 'scalar', type: 'string' } } as const
      return checkOrder([term(apiName)], { ...AIRPORT, properties: new Map([[apiName, property]]) })
    }
    expect(check('x'.repeat(FIELD_MAX_LENGTH))).toHaveLength(1)
    expect(() => check('x'.repeat(FIELD_MAX_LENGTH + 1))).toThrow(
      expect.objectContaining({ errorName: 'PropertiesNotFound' }),
    )
  })
})
