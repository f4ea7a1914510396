/** Whatever is stored, the text on the screen is its value. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { SCALAR_TYPES } from '../../ontology/definition/property-type.ts'
import type { PropertyType, ScalarType } from '../api/ontology.ts'
import { axisFormat, fieldStyle, formatValue, type NumberStyle } from './format-value.ts'

const point = fc.record({
  type: fc.constant('Point'),
  coordinates: fc.tuple(
    fc.double({ min: -180, max: 180, noNaN: true }),
    fc.double({ min: -90, max: 90, noNaN: true }),
  ),
})
const double = fc.double({ noNaN: true, noDefaultInfinity: true })
const day = fc.date({
  min: new Date('0001-01-01'),
  max: new Date('9999-12-31'),
  noInvalidDate: true,
})
const micros = fc.integer({ min: 0, max: 999_999 })

/** Values as the service writes them in JSON. */
const VALUES: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  string: fc.string({ unit: 'binary' }),
  boolean: fc.boolean(),
  byte: fc.integer({ min: -128, max: 127 }),
  short: fc.integer({ min: -32_768, max: 32_767 }),
  integer: fc.integer(),
  long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  float: fc.float({ noNaN: true, noDefaultInfinity: true }),
  double,
  decimal: fc
    .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.stringMatching(/^(\.\d{1,9})?$/))
    .map(([whole, fraction]) => `${whole}${fraction}`),
  date: day.map((date) => date.toISOString().slice(0, 10)),
  timestamp: fc
    .tuple(day, micros)
    .map(([date, part]) =>
      date.toISOString().replace(/\d{3}Z$/, `${String(part).padStart(6, '0')}Z`),
    ),
  geopoint: point,
  geoshape: fc.oneof(
    point,
    fc.record({ type: fc.constant('Polygon'), coordinates: fc.jsonValue() }),
  ),
  attachment: fc.string().map((rid) => ({ rid })),
  marking: fc.string(),
}

/** Reads a shown text back, by nothing but what a reader knows. */
const READERS: Readonly<Partial<Record<ScalarType, (text: string) => unknown>>> = {
  boolean: (text) => text === 'true',
  byte: readNumber,
  short: readNumber,
  integer: readNumber,
  long: (text) => text.replaceAll(',', ''),
  float: readNumber,
  double: readNumber,
  decimal: (text) => text.replaceAll(',', ''),
  timestamp: (text) => {
    const [date, time, zone] = text.split(' ')
    expect(zone).toBe('UTC')
    return `${date}T${time}${time?.includes('.') ? '' : '.000000'}Z`
  },
  geopoint: (text) => {
    const [, latitude, ns, longitude, ew] = /^(.+)° ([NS]) (.+)° ([EW])$/.exec(text) ?? []
    const signed = (angle = '', isNegative: boolean) => (isNegative ? -1 : 1) * readNumber(angle)
    return {
      type: 'Point',
      coordinates: [signed(longitude, ew === 'W'), signed(latitude, ns === 'S')],
    }
  },
  geoshape: (text) => JSON.parse(text),
  attachment: (text) => JSON.parse(text),
}

function readNumber(text: string): number {
  return Number(text.replaceAll(',', ''))
}

function check(value: unknown, type: PropertyType, style: NumberStyle): void {
  const text = formatValue(value, type, style)
  if (type.type === 'array') {
    const items = value as readonly unknown[]
    for (const item of items) check(item, type.items, style)
    expect(text).toBe(items.map((item) => formatValue(item, type.items, style)).join(', '))
  } else if (type.type === 'struct') {
    const [[name = '', field] = []] = Object.entries(type.fields)
    const part = (value as Readonly<Record<string, unknown>>)[name]
    check(part, field as PropertyType, fieldStyle(name))
    expect(text).toContain(formatValue(part, field as PropertyType, fieldStyle(name)))
  } else {
    const read = READERS[type.type] ?? ((same: string) => same)
    // JSON has one zero.
    expect(normalised(read(text ?? ''))).toEqual(normalised(value))
  }
}

function normalised(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const style = fc.constantFrom<NumberStyle>('plain', 'grouped', 'auto')
const OPTIONS = fcOptions(300)

it.each(SCALAR_TYPES)('shows every value of type %s as it is', (name) => {
  const type = { type: name }
  fc.assert(
    fc.property(VALUES[name], style, (value, used) => check(value, type, used)),
    OPTIONS,
  )
  const list = { type: 'array', items: type } as const
  const struct = { type: 'struct', fields: { year: type } } as const
  fc.assert(
    fc.property(fc.array(VALUES[name]), style, (values, used) => check(values, list, used)),
    OPTIONS,
  )
  fc.assert(
    fc.property(VALUES[name], style, (value, used) => check({ year: value }, struct, used)),
    OPTIONS,
  )
})

const UNITS: Readonly<Record<string, string>> = { K: 'e3', M: 'e6', B: 'e9', T: 'e12' }

it('labels axes with the numbers at their edges', () => {
  const edge = double.map((value) => Number(value.toPrecision(12)))
  fc.assert(
    fc.property(fc.array(edge, { minLength: 1 }), style, (edges, used) => {
      const show = axisFormat(edges, used)
      for (const value of edges) {
        const text = show(value).replace(/[KMBT]$/, (unit) => UNITS[unit] ?? unit)
        expect(readNumber(text) + 0).toBe(value + 0)
      }
    }),
    OPTIONS,
  )
})
