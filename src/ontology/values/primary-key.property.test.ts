import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import type { PrimaryKeyType } from '../definition/property-type.ts'
import { primaryKeyText, readPrimaryKey } from './primary-key.ts'

/**
 * For each type: keys as plain values with an order that owes nothing to the code under test, and
 * the ways in which each key can be written.
 */
interface KeyKind<Key> {
  readonly type: PrimaryKeyType
  readonly key: fc.Arbitrary<Key>
  readonly compare: (a: Key, b: Key) => number
  readonly spell: (key: Key) => readonly unknown[]
}

type Check = (run: <Key>(kind: KeyKind<Key>) => void) => void

/** Erases the key type of a kind, so that all kinds fit in one table. */
const kind =
  <Key>(of: KeyKind<Key>): Check =>
  (run) =>
    run(of)

const compareNumbers = (a: number | bigint, b: number | bigint) => (a < b ? -1 : a > b ? 1 : 0)

const wholeKind = (type: PrimaryKeyType, bits: number) =>
  kind({
    type,
    key: fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 }),
    compare: compareNumbers,
    spell: (key) => [key, String(key), String(key).replace(/^-?/, key < 0 ? '-00' : '+00')],
  })

const compareCodePoints = (a: string, b: string): number => {
  const [left, right] = [Array.from(a), Array.from(b)]
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const order = compareNumbers(
      left[index]?.codePointAt(0) ?? 0,
      right[index]?.codePointAt(0) ?? 0,
    )
    if (order !== 0) return order
  }
  return compareNumbers(left.length, right.length)
}

/** Characters for which the orders of UTF-8, UTF-16 and code points differ. */
const edgyString = fc.string({
  unit: fc.constantFrom('\u0001', 'a', 'b', '\u007f', 'é', '\ud7ff', '\ue000', '\uffff', '😀'),
  minLength: 1,
  maxLength: 4,
})
const anyString = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 100 })
  .filter((text) => !text.includes('\0'))

const day = fc
  .date({
    noInvalidDate: true,
    min: new Date('0000-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
  })
  .map((date) => date.getTime())

/** An instant in microseconds since 1970, so that the order is exact. */
const moment = fc
  .tuple(
    fc.oneof(day, fc.integer({ min: 0, max: 2000 })),
    fc.oneof(fc.constant(0), fc.nat({ max: 999 })),
  )
  .map(([ms, us]) => BigInt(ms) * 1000n + BigInt(us))

function spellMoment(moment: bigint): string[] {
  const us = Number(((moment % 1000n) + 1000n) % 1000n)
  const ms = Number((moment - BigInt(us)) / 1000n)
  const digits = String(us).padStart(3, '0')
  const at = (shiftMinutes: number) => new Date(ms + shiftMinutes * 60_000).toISOString()
  return [
    at(0).replace('Z', `${digits}Z`),
    at(0).replace('Z', `${digits}000Z`),
    at(90).replace('Z', `${digits}+01:30`),
    at(-720).replace('Z', `${digits}-12:00`),
  ]
}

const KINDS = {
  string: kind({
    type: 'string',
    key: fc.oneof(edgyString, anyString),
    compare: compareCodePoints,
    spell: (key) => [key],
  }),
  boolean: kind({
    type: 'boolean',
    key: fc.boolean(),
    compare: (a, b) => Number(a) - Number(b),
    spell: (key) => [key, String(key)],
  }),
  byte: wholeKind('byte', 8),
  short: wholeKind('short', 16),
  integer: wholeKind('integer', 32),
  long: kind({
    type: 'long',
    key: fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt({ min: -5n, max: 5n }),
    ),
    compare: compareNumbers,
    spell: (key) => [
      String(key),
      String(key).replace(/^-?/, key < 0n ? '-0' : '+0'),
      ...(Number.isSafeInteger(Number(key)) ? [Number(key)] : []),
    ],
  }),
  double: kind({
    type: 'double',
    key: fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 })),
    compare: compareNumbers,
    spell: (key) => (Number.isFinite(key) ? [key, String(key)] : [String(key)]),
  }),
  date: kind({
    type: 'date',
    key: day,
    compare: (a, b) => compareNumbers(Math.floor(a / 86_400_000), Math.floor(b / 86_400_000)),
    spell: (key) => [new Date(key).toISOString().slice(0, 10)],
  }),
  timestamp: kind({
    type: 'timestamp',
    key: moment,
    compare: compareNumbers,
    spell: spellMoment,
  }),
} satisfies Record<PrimaryKeyType, Check>

describe.each(Object.entries(KINDS))('primary keys of type %s', (_type, check) => {
  it('are stored in a form whose byte order is the order of the keys', () => {
    check(({ type, key, compare, spell }) => {
      const stored = (value: Parameters<typeof spell>[0]) =>
        Buffer.from(readPrimaryKey(type, spell(value)[0]).pk)
      const pairs = fc.oneof(
        { weight: 9, arbitrary: fc.tuple(key, key) },
        { weight: 1, arbitrary: key.map((same) => [same, same] as const) },
      )
      fc.assert(
        fc.property(pairs, ([a, b]) => {
          expect(Buffer.compare(stored(a), stored(b))).toBe(Math.sign(compare(a, b)))
        }),
        fcOptions(2000),
      )
    })
  })

  it('are equal in every spelling, and in the text of a path', () => {
    check(({ type, key, spell }) => {
      fc.assert(
        fc.property(key, (value) => {
          const [first, ...others] = spell(value).map((sent) => readPrimaryKey(type, sent))
          for (const other of others) expect(other).toEqual(first)
          expect(readPrimaryKey(type, first?.text)).toEqual(first)
          expect(primaryKeyText(type, first?.pk ?? '')).toBe(first?.text)
        }),
        fcOptions(500),
      )
    })
  })
})
