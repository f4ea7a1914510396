/** Tables of random values, as files have them: most columns hold one kind. */
import fc from 'fast-check'
import type { CellKind, Row } from '../../src/formats/row.ts'

const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'))
const instant = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
const time = instant.chain((date) => {
  const iso = date.toISOString()
  return fc.constantFrom(
    iso,
    iso.slice(0, 19),
    iso.slice(0, 16).replace('T', ' '),
    iso.slice(0, 10),
  )
})
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const digits = fc.oneof(
  number.map(String),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value.toFixed(3)),
  fc.double({ min: -1, max: 1, noNaN: true }).map((value) => value.toFixed(25)),
  fc.constantFrom('-0', '00', '+1', '.5', '5.', '1e400', 'NaN', '-Infinity', '0x10', '1_000'),
)
const position = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
)
const geometry = fc.oneof(
  position.map((coordinates) => ({ type: 'Point', coordinates })),
  fc.array(position).map((coordinates) => ({ type: 'MultiPoint', coordinates })),
  fc.constant({ type: 'Point', coordinates: ['invalid'] }),
)
const field = fc.constantFrom('a', 'b', 'invalid name', 'c')
const leaf = fc.oneof(number, text, time, fc.boolean(), geometry, fc.constant(null))
const nested = fc.oneof(
  fc.array(number),
  fc.array(leaf),
  fc.dictionary(fc.constantFrom('a', 'b'), number, { noNullPrototype: true }),
  fc.array(fc.dictionary(field, leaf, { noNullPrototype: true })),
  fc.dictionary(field, fc.oneof(leaf, fc.array(leaf)), { noNullPrototype: true }),
)

/** Values of one kind, as in most columns. */
const SORTS: Readonly<Record<CellKind, readonly fc.Arbitrary<unknown>[]>> = {
  json: [number, text, time, fc.boolean(), geometry, nested, leaf],
  typed: [number, text, time, fc.boolean(), geometry, nested, fc.bigInt(), fc.double()],
  text: [
    digits,
    fc.integer().map(String),
    text,
    time,
    fc.constantFrom('true', 'False', 'yes', 'NO', '1', '0'),
    fc.oneof(geometry, nested).map((value) => JSON.stringify(value)),
    position.map(([longitude, latitude]) => `${latitude.toFixed(4)},${longitude.toFixed(4)}`),
  ],
}

const columnName = fc.oneof(
  fc.constantFrom('id', 'name', 'row', 'lat', 'lon', 'location', 'a b', 'aB', 'A B', 'constructor'),
  text,
)

/** A column with values of one kind, and occasionally of any kind. */
function column(kind: CellKind): fc.Arbitrary<fc.Arbitrary<unknown>> {
  const empty = fc.constant(kind === 'text' ? '' : null)
  return fc
    .constantFrom(...SORTS[kind])
    .chain((sort) =>
      fc.constantFrom(
        sort,
        fc.oneof(sort, empty),
        fc.oneof({ weight: 8, arbitrary: sort }, ...SORTS[kind]),
      ),
    )
}

export function table(kind: CellKind, maxRows = 12): fc.Arbitrary<Row[]> {
  return fc
    .uniqueArray(
      columnName.filter((name) => name !== '__proto__'),
      { minLength: 1, maxLength: 6 },
    )
    .chain((names) => fc.tuple(...names.map((name) => column(kind).map((sort) => [name, sort]))))
    .chain((sorts) => {
      const cells = Object.fromEntries(sorts) as Record<string, fc.Arbitrary<unknown>>
      const constraints = {
        noNullPrototype: true,
        ...(kind === 'json' ? { requiredKeys: [] } : {}),
      }
      return fc.array(fc.record(cells, constraints), { minLength: 1, maxLength: maxRows })
    })
    .map((rows) =>
      rows.map((cells, index) => ({
        line: index + 2,
        cells,
        ...(kind === 'json' ? { json: JSON.stringify(cells) } : {}),
      })),
    )
}
