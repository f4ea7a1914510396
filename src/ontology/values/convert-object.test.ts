import { describe, expect, it } from 'vitest'
import type { PropertyDefinition } from '../definition/definition-schema.ts'
import { parseDefinition } from '../definition/parse-definition.ts'
import type { ObjectType } from '../ontology.ts'
import { finish } from '../pausable-work.ts'
import { objectConverter } from './convert-object.ts'
import { objectReader } from './read-object.ts'

type Shape = PropertyDefinition | string

const shape = (type: Shape) => (typeof type === 'string' ? { type } : type) as PropertyDefinition
const array = (type: Shape): PropertyDefinition => ({
  type: 'array',
  items: shape(type) as PropertyDefinition & { type: 'string' },
})
const struct = (fields: Record<string, string>): PropertyDefinition => ({
  type: 'struct',
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [name, { type: type as 'string' }]),
  ),
})

function typeOf(properties: Record<string, Shape>): ObjectType {
  const all = Object.entries(properties).map(([name, type]) => [name, shape(type)] as const)
  const definition = {
    apiName: 'o',
    objectTypes: [
      {
        apiName: 't',
        primaryKey: 'k',
        properties: { k: { type: 'string' as const }, ...Object.fromEntries(all) },
      },
    ],
  }
  const type = parseDefinition(definition).objectTypes.get('t')
  if (type === undefined) throw new Error('no type')
  return type
}

/** Stores a value as one type and converts it to another. */
function convert(value: unknown, before: Shape, after: Shape): unknown {
  const [from, to] = [typeOf({ p: before }), typeOf({ p: after })]
  const { body } = objectReader(from)({ k: 'x', p: value })
  return JSON.parse(finish(objectConverter(from, to, new Map())(body)).body)['p']
}

const POINT = { type: 'Point', coordinates: [8, 47] }

describe('a stored value', () => {
  it.each<[Shape, unknown, Shape, unknown]>([
    ['byte', 5, 'long', '5'],
    ['integer', -7, 'decimal', '-7'],
    ['long', '9007199254740993', 'decimal', '9007199254740993'],
    ['integer', 5, 'double', 5],
    ['float', 0.5, 'double', 0.5],
    ['double', 1e21, 'decimal', '1000000000000000000000'],
    ['integer', 5, 'string', '5'],
    ['double', 0.5, 'string', '0.5'],
    ['double', 'NaN', 'string', 'NaN'],
    ['boolean', true, 'string', 'true'],
    ['decimal', '1.50', 'string', '1.50'],
    ['timestamp', '2026-01-01T00:00:00+01:00', 'string', '2025-12-31T23:00:00Z'],
    ['geopoint', POINT, 'string', JSON.stringify(POINT)],
    ['attachment', { rid: 'ri.a' }, 'string', 'ri.a'],
    ['string', 'x', 'marking', 'x'],
    ['integer', 5, array('integer'), [5]],
    ['integer', 5, array('string'), ['5']],
    [array('integer'), [1, 2], array('long'), ['1', '2']],
    [array('integer'), [7], 'integer', 7],
    [struct({ a: 'integer', b: 'string' }), { a: 1, b: 'x' }, struct({ a: 'long' }), { a: '1' }],
    ['string', '12', 'integer', 12],
    ['string', '2026-01-31', 'date', '2026-01-31'],
    ['long', '12', 'short', 12],
    ['decimal', '12.00', 'integer', 12],
    ['double', 3, 'byte', 3],
    ['long', '9007199254740992', 'double', 9007199254740992],
    ['decimal', '-0.10', 'double', -0.1],
    ['string', '+01.5e300', 'double', 1.5e300],
    ['string', '-0.0', 'float', 0],
    ['string', 'NaN', 'double', 'NaN'],
  ])('%j %j becomes %j %j', (before, value, after, converted) => {
    expect(convert(value, before, after)).toEqual(converted)
  })

  it.each<[Shape, unknown, Shape, string]>([
    ['integer', 300, 'byte', 'p is outside byte'],
    ['string', 'x', 'integer', 'p is not an integer'],
    ['double', 0.5, 'integer', 'p is not an integer'],
    ['double', 'NaN', 'decimal', 'p is not a decimal'],
    ['boolean', true, 'integer', 'p is not an integer'],
    [array('integer'), [1, 2], 'integer', 'p has 2 elements'],
    [array('integer'), [], 'integer', 'p has 0 elements'],
    [array('string'), ['1', 'x'], array('long'), 'p[1] is not a long'],
    ['string', 'x', struct({ a: 'string' }), 'p is not a struct'],
    ['long', '9007199254740993', 'double', 'p would be rounded to 9007199254740992'],
    ['decimal', '0.12345678901234567890', 'float', 'p would be rounded to 0.12345678901234568'],
    ['string', '1e-400', 'double', 'p would be rounded to 0'],
    ['string', '1e400', 'double', 'p is not a double'],
    ['string', '0x10', 'double', 'p is not a double'],
    ['string', '', 'double', 'p is not a double'],
    [struct({ a: 'string' }), { a: 'x' }, struct({ a: 'date' }), 'p.a is not a date'],
  ])('%j %j does not fit %j', (before, value, after, reason) => {
    expect(() => convert(value, before, after)).toThrow(reason)
  })

  it('follows its property to another name', () => {
    const from = typeOf({ constructor: 'integer', other: 'string' })
    const to = typeOf({ toString: 'long', other: 'string', more: 'date' })
    const { body } = objectReader(from)({ k: 'x', constructor: 5, other: 'y' })
    const renamed = new Map([['toString', 'constructor']])
    expect(finish(objectConverter(from, to, renamed)(body))).toMatchObject({
      pk: 'x',
      body: '{"k":"x","toString":"5","other":"y"}',
    })
  })
})
