import { describe, expect, it } from 'vitest'
import {
  type ArrayType,
  isPrimaryKeyType,
  isTitleType,
  type PropertyType,
  SCALAR_TYPES,
  type ScalarPropertyType,
  type ScalarType,
  type StructType,
  staysValid,
  typeName,
} from './property-type.ts'

const scalar = (type: ScalarType): ScalarPropertyType => ({ kind: 'scalar', type })
const arrayOf = (items: ScalarPropertyType | StructType): ArrayType => ({ kind: 'array', items })
const struct = (fields: Readonly<Record<string, ScalarType>>): StructType => ({
  kind: 'struct',
  fields: new Map(Object.entries(fields).map(([name, type]) => [name, scalar(type)])),
})

describe('a stored value', () => {
  const types: readonly PropertyType[] = [
    ...SCALAR_TYPES.map(scalar),
    ...SCALAR_TYPES.map((type) => arrayOf(scalar(type))),
    struct({ a: 'string' }),
    arrayOf(struct({ a: 'string' })),
  ]

  it('stays valid under its own type', () => {
    expect(types.filter((type) => !staysValid(type, structuredClone(type)))).toEqual([])
  })

  it('never stays valid if a scalar becomes an array, or an array a scalar', () => {
    for (const type of SCALAR_TYPES) {
      expect(staysValid(scalar(type), arrayOf(scalar(type)))).toBe(false)
      expect(staysValid(arrayOf(scalar(type)), scalar(type))).toBe(false)
      expect(staysValid(scalar(type), struct({ a: type }))).toBe(false)
      expect(staysValid(struct({ a: type }), scalar(type))).toBe(false)
    }
  })

  it.each([
    ['integer', 'long'],
    ['long', 'integer'],
    ['integer', 'byte'],
    ['double', 'float'],
    ['string', 'date'],
    ['date', 'timestamp'],
    ['geoshape', 'geopoint'],
    ['string', 'boolean'],
  ] as const)('does not stay valid from %s to %s, alone or inside', (before, after) => {
    expect(staysValid(scalar(before), scalar(after))).toBe(false)
    expect(staysValid(arrayOf(scalar(before)), arrayOf(scalar(after)))).toBe(false)
    expect(staysValid(struct({ a: before }), struct({ a: after }))).toBe(false)
  })

  it('stays valid if its struct gains or reorders fields, but not if it loses one', () => {
    const before = struct({ a: 'string', b: 'long' })
    const wider = struct({ c: 'date', b: 'long', a: 'string' })
    expect(staysValid(before, wider)).toBe(true)
    expect(staysValid(wider, before)).toBe(false)
    expect(staysValid(arrayOf(before), arrayOf(wider))).toBe(true)
    expect(staysValid(arrayOf(wider), arrayOf(before))).toBe(false)
  })
})

describe('the name of a type', () => {
  it.each([
    [scalar('integer'), 'integer'],
    [arrayOf(scalar('string')), 'array of string'],
    [struct({ a: 'string', b: 'long' }), 'struct {a: string, b: long}'],
    [arrayOf(struct({ a: 'string' })), 'array of struct {a: string}'],
  ])('is what people read in messages: $1', (type, name) => {
    expect(typeName(type)).toBe(name)
  })
})

describe('keys and titles', () => {
  it('have types that are comparable, exact and printable', () => {
    expect(SCALAR_TYPES.filter((type) => !isPrimaryKeyType(type))).toEqual([
      'float',
      'decimal',
      'geopoint',
      'geoshape',
      'attachment',
      'marking',
    ])
  })

  it('can be of every type that has one obvious text', () => {
    expect(SCALAR_TYPES.filter((type) => !isTitleType(type))).toEqual([
      'geopoint',
      'geoshape',
      'attachment',
    ])
  })
})
