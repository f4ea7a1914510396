/**
 * Arbitraries of values of every property type, in canonical JSON, biased towards values that
 * databases handle wrongly. `spell` writes a value in another way.
 */

import fc from 'fast-check'
import type { ScalarType } from '../../src/ontology/definition/property-type.ts'
import { positions } from './query-positions.ts'
import { geometries } from './where-geo.ts'

const WORDS = [
  ...[
    'the',
    'The',
    'quick',
    'QUICK',
    'quik',
    'quicks',
    'quacky',
    'quicker',
    'kicker',
    'brown',
    'brwn',
    'Brown-fox',
    'fox',
  ],
  ...['Fox', 'foxes', 'a', 'ab', 'abc', 'x.y', '.', '..', 'fox.', '50%', 'a_b', '*', 'AND', 'NOT'],
  ...[
    'é',
    'e\u0301',
    'É',
    'straße',
    'STRASSE',
    'İ',
    'ǅ',
    'Ωmega',
    'ΟΔΟΣ',
    'οδοσ',
    'οδός',
    "ΣΑΣ'Α",
    '日本',
  ],
  // Outside the BMP: an emoji, and a letter in both cases.
  ...['\u{1f600}', '\u{1f600}x', '\u{10400}bc', '\u{10428}bc', '\u{1d4b3}'],
  ...['\uffff', '\ufffd', '\u200d', '\u0001', '\\', '/', '<b>', '&', '^', '+1', '1', '1a'],
  // Characters that a text index may use internally.
  ...[
    '\ue02e',
    'x\ue02ey',
    'x.y',
    '\ue0ff',
    'a \ue0ff b',
    '1\ue03aa',
    '\ue0fe',
    '\ue0fee02e',
    'e02e',
  ],
  '\ue010\ue011\ue012\ue013\ue014\ue015',
  '\ue010\ue011\ue012\ue013\ue014x',
  '\u{10ffff}ab',
]

const SEPARATORS = [
  ...[' ', ' ', ' ', '  ', ', ', '-', '------', '? ', '! ', ':', ';', '[', ']', '(', ')', '{'],
  ...['}', "'", '"', '~', '\t', '\n', '\u00a0', '\u3000', '\u2028', ' . '],
]

export const separators = fc.constantFrom(...SEPARATORS)

const sentences = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), separators), { maxLength: 6 })
  .map((parts) => parts.map(([word, separator]) => word + separator).join(''))
  .chain((text) => fc.constantFrom(text, text.trimEnd()))

const anyText = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !text.includes('\0'))

export const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: sentences },
  { weight: 2, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: anyText },
  { weight: 1, arbitrary: fc.constant('') },
)

function wholeNumbers(bits: number): fc.Arbitrary<number> {
  const [min, max] = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1]
  return fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min, max }),
    fc.constantFrom(min, max),
  )
}

const longs = fc
  .oneof(
    fc.bigInt({ min: -3n, max: 3n }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    // Neighbours that are equal as doubles.
    fc.bigInt({ min: 2n ** 63n - 3n, max: 2n ** 63n - 1n }),
    fc.bigInt({ min: 2n ** 53n - 1n, max: 2n ** 53n + 2n }),
    fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 63n) + 2n }),
  )
  .map(String)

function floatings(any: fc.Arbitrary<number>): fc.Arbitrary<number | string> {
  return fc.oneof(
    fc.constantFrom<number | string>('NaN', 'Infinity', '-Infinity', 0, 0.1, 1, -1, 16_777_216),
    any.filter(Number.isFinite).map((number) => (number === 0 ? 0 : number)),
  )
}

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: length })

/** Neighbours, with significant and insignificant zeros. */
const NEAR_DECIMALS = [
  ['0', '0.0', '0.1', '0.10', '0.09', '0.11', '-0.1', '-0.10', '-0.11', '-0.109'],
  ['1', '1.0', '1.01', '9', '10', '10.50', '-1', '-1.0', '-1.01', '-9', '-10', '-10.5', '-100'],
  ['9007199254740993', '9007199254740992', '9007199254740992.0'],
  [`1${'0'.repeat(40)}`, `1${'0'.repeat(39)}1`, `-1${'0'.repeat(40)}`, `-1${'0'.repeat(39)}1`],
  [`0.${'0'.repeat(60)}1`, `-0.${'0'.repeat(60)}1`, '0', '9'.repeat(100), `-${'9'.repeat(100)}`],
]

const anyDecimal = fc
  .tuple(fc.constantFrom('', '-'), digits(30), fc.oneof(fc.constant(''), digits(30)))
  .map(([sign, whole, fraction]) => {
    const number = whole.replace(/^0+(?=\d)/, '') + (fraction === '' ? '' : `.${fraction}`)
    return /[1-9]/.test(number) ? sign + number : number
  })

const decimals = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NEAR_DECIMALS.flat()) },
  { weight: 1, arbitrary: anyDecimal },
)

const moments = fc.oneof(
  fc.date({
    noInvalidDate: true,
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
  }),
  fc.constantFrom(
    ...['0000-01-01', '0099-12-31', '1969-12-31', '1970-01-01', '2024-02-29', '9999-12-31'].map(
      (day) => new Date(`${day}T00:00:00Z`),
    ),
    ...['2024-02-29T23:59:59Z', '2024-03-01T00:00:01Z'].map((time) => new Date(time)),
  ),
)

const dates = moments.map((moment) => moment.toISOString().slice(0, 10))

const timestamps = fc
  .tuple(moments, fc.constantFrom(0, 0, 0, 1, 10, 1000, 123_000, 123_456, 999_999))
  .map(([moment, micros]) => {
    const fraction = String(micros).padStart(6, '0').replace(/0+$/, '')
    const shown = fraction === '' ? '' : `.${fraction.padEnd(fraction.length > 3 ? 6 : 3, '0')}`
    return `${moment.toISOString().slice(0, 19)}${shown}Z`
  })

const geoPoints = fc
  .tuple(positions, fc.constantFrom([], [], [12.5]))
  .map(([position, elevation]) => ({ type: 'Point', coordinates: [...position, ...elevation] }))

/** Canonical values of each type. */
export const SAMPLES: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  string: texts,
  marking: texts,
  boolean: fc.boolean(),
  byte: wholeNumbers(8),
  short: wholeNumbers(16),
  integer: wholeNumbers(32),
  long: longs,
  float: floatings(fc.float({ noNaN: true, noDefaultInfinity: true })),
  double: floatings(fc.double({ noNaN: true, noDefaultInfinity: true })),
  decimal: decimals,
  date: dates,
  timestamp: timestamps,
  geopoint: geoPoints,
  geoshape: geometries,
  attachment: fc.nat(3).map((number) => ({ rid: `ri.attachments.main.attachment.${number}` })),
}

/** Values that are easily confused: a pool with several of them reveals mistakes. */
const FAMILIES: Readonly<Partial<Record<ScalarType, readonly (readonly unknown[])[]>>> = {
  decimal: NEAR_DECIMALS,
  long: [
    ['9223372036854775807', '9223372036854775806', '9223372036854775805', '0'],
    ['9007199254740993', '9007199254740992', '9007199254740991', '-9007199254740993'],
  ],
  double: [
    ['NaN', 'Infinity', '-Infinity', 0, 1.7976931348623157e308],
    [0.1, 0.30000000000000004, 0.3, 5e-324, 0],
    [1.7976931348623157e308, -1.7976931348623157e308, 1e308, 2 ** 970, 0.1, -5e-324],
  ],
  // Values that cancel each other, beside smaller ones.
  float: [[3.4028234663852886e38, -3.4028234663852886e38, 3.4e38, -3.4e38, 0.1, 1e-45, 16_777_217]],
  timestamp: [
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.000001Z'],
    ['2024-02-29T23:59:59.999999Z', '2024-02-29T23:59:59.999Z', '2024-03-01T00:00:00Z'],
    // From the second one on, a double cannot hold every microsecond since 1970.
    ['2255-06-05T23:47:34.740991Z', '2255-06-05T23:47:34.740993Z', '9999-12-31T23:59:59.999999Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000001Z', '1969-12-31T23:59:59.999999Z'],
  ],
  string: [
    // Lengths at which one letter more or less changes the allowed edit distance.
    ['quick', 'quack', 'quacks', 'quicks', 'quicker', 'Quirky', 'QUICK brown', 'qu'],
    ['orange', 'oranxx', 'orxxge', 'ornge', 'orang', 'oraxx', 'o\u{1f600}ange', 'o\u{1f600}xnge'],
    ['ab', 'ax', 'abc', 'abx', 'axx', 'abcd', 'abcde', 'abcxx', 'b\u{1f600}', 'x\u{1f600}'],
    ['the quick brown fox', 'The Quick ------ Brown Fox', 'the quick brown foxes', 'quick the'],
    ['Nate the quick Bro', 'The Quick Brown-fox', 'The Quick Big Brown fox', 'fox', 'the'],
    ['a', 'A', 'B', 'b', '', '0', ' ', '\uffff', '\u{1f600}', '\u{10400}', '\u{10428}'],
  ],
}

/** Small pools of values, from which objects and queries draw. */
export function poolsOf(type: ScalarType): fc.Arbitrary<readonly unknown[]> {
  const any = fc.array(SAMPLES[type], { minLength: 1, maxLength: 5 })
  const families = FAMILIES[type]
  if (families === undefined) return any
  const near = fc
    .constantFrom(...families)
    .chain((family) => fc.shuffledSubarray([...family], { minLength: 2 }))
  return fc.oneof(any, near)
}

/** Returns one of the spellings of a value; most values have only one. */
export function spell(type: ScalarType, value: unknown, variant: number): unknown {
  switch (type) {
    case 'boolean':
      return variant % 2 === 0 ? value : String(value)
    case 'byte':
    case 'short':
    case 'integer':
      return [value, String(value), padded(String(value))][variant % 3]
    case 'long': {
      const isSafe = Number.isSafeInteger(Number(value))
      return [value, isSafe ? Number(value) : value, padded(String(value))][variant % 3]
    }
    case 'float':
    case 'double':
      if (value === 0) return [0, -0, '-0.0', '0e5'][variant % 4]
      return variant % 2 === 0 ? value : String(value)
    case 'decimal': {
      const text = String(value)
      const isExact = String(Number(text)) === text && Number.isSafeInteger(Number(text))
      return [value, isExact ? Number(text) : value, padded(text)][variant % 3]
    }
    case 'timestamp':
      return withOffset(String(value), [0, 60, -330, 840, -1439][variant % 5] ?? 0)
    default:
      return value
  }
}

function padded(number: string): string {
  return number.startsWith('-') ? `-00${number.slice(1)}` : `+0${number}`
}

/** Writes the same instant with an offset from UTC. */
function withOffset(timestamp: string, minutes: number): string {
  const moment = Date.parse(`${timestamp.slice(0, 19)}Z`) + minutes * 60_000
  const local = new Date(moment).toISOString()
  if (minutes === 0 || local.length !== 24) return timestamp
  const size = Math.abs(minutes)
  const [hours, rest] = [Math.floor(size / 60), size % 60].map((part) =>
    String(part).padStart(2, '0'),
  )
  const fraction = timestamp.slice(19, -1)
  const shown = local.endsWith(':00.000Z') && fraction === '' ? 16 : 19
  return `${local.slice(0, shown)}${fraction}${minutes < 0 ? '-' : '+'}${hours}:${rest}`
}
