import { describe, expect, it } from 'vitest'
import { refusedFor } from '../../../test/support/refused-values.ts'
import { PRIMARY_KEY_MAX_BYTES } from '../../contract/limits.ts'
import { PRIMARY_KEY_TYPES, type PrimaryKeyType } from '../definition/property-type.ts'
import { readPrimaryKey } from './primary-key.ts'

describe('a primary key', () => {
  it.each([
    ['string', 'LAX', 'LAX'],
    ['string', 'a"b\\c', 'a"b\\c'],
    ['boolean', true, 'true'],
    ['byte', -1, '-1'],
    ['short', '+7', '7'],
    ['integer', 50030, '50030'],
    ['long', '9223372036854775807', '9223372036854775807'],
    ['double', 1.5, '1.5'],
    ['double', '-Infinity', '-Infinity'],
    ['date', '2026-01-31', '2026-01-31'],
    ['timestamp', '2026-01-31T01:00:00+01:00', '2026-01-31T00:00:00Z'],
  ] as const)('of type %s has a text for paths: %j is %s', (type, sent, text) => {
    expect(readPrimaryKey(type, sent).text).toBe(text)
  })

  it.each([
    ['string', 'LAX', 'LAX'],
    ['boolean', false, '0'],
    ['boolean', true, '1'],
    ['byte', 0, '8000000000000000'],
    ['long', '-9223372036854775808', '0000000000000000'],
    ['long', '9223372036854775807', 'ffffffffffffffff'],
    ['double', 0, '8000000000000000'],
    ['double', 1, 'bff0000000000000'],
    ['double', -1, '400fffffffffffff'],
    ['date', '2026-01-31', '2026-01-31'],
    ['timestamp', '2026-01-31T00:00:00Z', '2026-01-31T00:00:00.000000Z'],
  ] as const)('of type %s has a stable stored form: %j is %s', (type, sent, pk) => {
    // Databases and page tokens contain these: another form would lose stored objects.
    expect(readPrimaryKey(type, sent).pk).toBe(pk)
  })

  it.each<[PrimaryKeyType, readonly unknown[]]>([
    ['boolean', [true, 'true']],
    ['byte', [0, -0, '0', '-0', '+0', '000']],
    ['integer', [12, '12', '+12', '0012']],
    ['long', [5, '5', '+5', '005']],
    ['double', [0, -0, '0', '-0', '0.0', '0e5']],
    ['double', [1500, '1500', '1.5e3', '+1500.00']],
    [
      'timestamp',
      ['2026-01-01T00:00:00Z', '2025-12-31T23:00:00-01:00', '2026-01-01T00:00:00.000000Z'],
    ],
  ])('of type %s is one key in all its spellings: %j', (type, spellings) => {
    const keys = spellings.map((value) => readPrimaryKey(type, value))
    expect(new Set(keys.map(({ pk }) => pk)).size).toBe(1)
    expect(new Set(keys.map(({ text }) => text)).size).toBe(1)
  })

  it('sorts doubles as numbers, from minus infinity to infinity', () => {
    const sorted = [
      '-Infinity',
      -Number.MAX_VALUE,
      -1.0000000000000002,
      -1,
      -Number.MIN_VALUE,
      0,
      Number.MIN_VALUE,
      1,
      1.0000000000000002,
      Number.MAX_VALUE,
      'Infinity',
    ].map((value) => readPrimaryKey('double', value).pk)
    expect(sorted.toSorted()).toEqual(sorted)
    expect(new Set(sorted).size).toBe(sorted.length)
  })

  it('sorts strings by code point, where UTF-16 would not', () => {
    const [fromBmp, beyondBmp] = ['\uffff', '\u{10000}'].map(
      (text) => readPrimaryKey('string', text).pk,
    )
    expect(Buffer.compare(Buffer.from(fromBmp ?? ''), Buffer.from(beyondBmp ?? ''))).toBe(-1)
  })

  it('distinguishes strings that look alike', () => {
    const keys = ['é', 'e\u0301', 'E', 'e', ' e', 'e '].map(
      (text) => readPrimaryKey('string', text).pk,
    )
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('is never empty', () => {
    expect(() => readPrimaryKey('string', '')).toThrow(
      refusedFor('is empty; a primary key is part of paths and needs at least one character'),
    )
  })

  it('is never NaN', () => {
    expect(() => readPrimaryKey('double', 'NaN')).toThrow(
      refusedFor('is NaN, which cannot be a primary key'),
    )
  })

  it.each([
    ['a', PRIMARY_KEY_MAX_BYTES],
    ['é', PRIMARY_KEY_MAX_BYTES / 2],
    ['😀', PRIMARY_KEY_MAX_BYTES / 4],
  ])('of %s can have at most 512 bytes', (character, count) => {
    const longest = character.repeat(count)
    expect(readPrimaryKey('string', longest)).toEqual({ text: longest, pk: longest })
    expect(() => readPrimaryKey('string', `${longest}a`)).toThrow(
      refusedFor(
        'is longer than 512 bytes, the maximum for a primary key, which page tokens carry',
      ),
    )
  })

  it.each(PRIMARY_KEY_TYPES)('of type %s is never null, an object or an array', (type) => {
    for (const value of [null, undefined, {}, [], ['a'], [1]]) {
      expect(() => readPrimaryKey(type, value)).toThrow(
        expect.objectContaining({ name: 'RefusedValue', path: '' }),
      )
    }
  })

  it.each([
    ['string', 5, 'is not a string'],
    ['string', 'a\0', 'contains the character U+0000'],
    ['string', '\ud800', 'contains an unpaired surrogate'],
    ['boolean', 'yes', 'is not a boolean'],
    ['long', 2 ** 53, 'has lost digits as a JSON number; send a long as a JSON string'],
    ['date', '2026-02-30', 'has a day that its month does not have'],
    ['timestamp', '2026-01-01', 'is not a timestamp: ISO 8601 with Z or an offset'],
  ] as const)('of type %s follows the rules of its type: never %j', (type, value, reason) => {
    expect(() => readPrimaryKey(type, value)).toThrow(refusedFor(reason))
  })
})
